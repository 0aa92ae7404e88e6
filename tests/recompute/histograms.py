"""HdrHistograms as a record keeps them: decoded, added, and their quantiles and mean."""

import base64
import math
import struct
import zlib
from collections import defaultdict
from functools import lru_cache

QUANTILES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}
LEAST_AT_ALL = {"p50": 2, "p95": 20, "p99": 100, "mean": 1}


def varints(payload):
    """ZigZag LEB128 with at most nine bytes, the ninth whole."""
    place = 0
    while place < len(payload):
        value = shift = 0
        for byte_number in range(9):
            byte = payload[place]
            place += 1
            if byte_number == 8:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        yield (value >> 1) ^ -(value & 1)


@lru_cache(maxsize=None)
def decode(text):
    """An HdrHistogram (V2, deflated, base64) as {index: count}; None where damaged."""
    try:
        packed = base64.b64decode(text, validate=True)
        cookie, length = struct.unpack(">II", packed[:8])
        if cookie != 0x1C849314:
            return None
        plain = zlib.decompress(packed[8 : 8 + length])
        cookie, length, _, digits, lowest, _, _ = struct.unpack(">IIIIQQd", plain[:40])
        if cookie != 0x1C849313 or digits != 3 or lowest != 1:
            return None
        counts, index = {}, 0
        for number in varints(plain[40 : 40 + length]):
            if number < 0:
                index -= number
            else:
                if number:
                    counts[index] = number
                index += 1
        return counts
    except (ValueError, struct.error, zlib.error, IndexError):
        return None


def bucket(index):
    """The lowest value of a counter and how many values it stands for: 2,048 of one, then halves that double."""
    if index < 2048:
        return index, 1
    doubling = (index >> 10) - 1
    return ((index & 1023) + 1024) << doubling, 1 << doubling


def merged(histograms):
    whole = defaultdict(int)
    for histogram in histograms:
        for index, count in (histogram or {}).items():
            whole[index] += count
    return dict(whole)


def rest(whole, part):
    left = {index: count - part.get(index, 0) for index, count in whole.items()}
    return {index: count for index, count in left.items() if count}


def size(histogram):
    return sum((histogram or {}).values())


def figure(metric, histogram):
    total = size(histogram)
    if total < LEAST_AT_ALL[metric]:
        return None
    if metric == "mean":
        value = sum((low + (width >> 1)) * count / total
                    for (low, width), count in ((bucket(i), c) for i, c in sorted(histogram.items())))
    else:
        rank, seen = max(1, math.ceil(QUANTILES[metric] * total)), 0
        for index in sorted(histogram):
            seen += histogram[index]
            if seen >= rank:
                low, width = bucket(index)
                value = low + width - 1
                break
    return value if value > 0 else None
