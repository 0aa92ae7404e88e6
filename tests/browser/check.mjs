// Looks at pages in a headless Chromium and tells what is wrong with them, as JSON on standard output:
//   node check.mjs PAGE.html …
// Of each page, as it is looked at: violations of axe-core's rules, what was asked of the network, complaints of the
// browser, whether the page is wider than the screen, and texts of charts that are cut off or lie on each other.

import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

import { Chromium } from './chromium.mjs';

const LOOKS = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
];

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

// Runs in the page: rules that are violated, each with the places.
const VIOLATIONS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => ({ id, help, places: nodes.slice(0, 3).map((node) => node.html.slice(0, 200)) })))`;

// Runs in the page: texts of charts that lie outside of their chart or on each other.
const LABELS = `Array.from(document.querySelectorAll('svg.chart')).flatMap((chart) => {
  const title = chart.querySelector('title').textContent;
  const { width, height } = chart.viewBox.baseVal;
  const texts = Array.from(chart.querySelectorAll('text')).map((text) => ({ said: text.textContent, box: text.getBBox() }));
  const outside = ({ box }) => box.x < -1 || box.y < -1 || box.x + box.width > width + 1 || box.y + box.height > height + 1;
  const overlap = (a, b) =>
    Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 1 &&
    Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 4;
  const cut = texts.filter(outside).map(({ said }) => title + ': "' + said + '" is cut off');
  const met = texts.flatMap((a, place) =>
    texts.slice(place + 1).filter((b) => overlap(a.box, b.box)).map((b) => title + ': "' + a.said + '" lies on "' + b.said + '"'));
  return [...cut, ...met];
})`;

const chromium = new Chromium();
try {
  const found = [];
  for (const file of process.argv.slice(2)) {
    const url = pathToFileURL(resolve(file)).href;
    for (const look of LOOKS) {
      const tab = await chromium.tab();
      await tab.look(look);
      await tab.open(url);
      await tab.evaluate(`document.querySelectorAll('details').forEach((details) => (details.open = true))`);
      const wide = await tab.evaluate('document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth');
      const labels = await tab.evaluate(LABELS);
      await tab.evaluate(`${axe}; undefined`);
      const violations = await tab.evaluate(VIOLATIONS);
      const requests = tab.requests.filter((asked) => asked !== url);
      found.push({ file, ...look, violations, requests, complaints: tab.complaints, wide, labels });
    }
  }
  process.stdout.write(JSON.stringify(found));
} finally {
  await chromium.close();
}
