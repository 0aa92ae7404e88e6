# Shared by the scripts in this folder; sourced, not run. Works with bash 3.2, as on macOS.

has() { command -v "$1" >/dev/null 2>&1; }

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

# Cargo and a toolchain new enough, or a message with what to type.
need_rust() {
    local floor version
    has cargo || { [ -x "$HOME/.cargo/bin/cargo" ] && PATH="$HOME/.cargo/bin:$PATH" && export PATH; } ||
        die "cargo not found; install Rust from https://rustup.rs and run this again"
    has cc || has gcc || has clang ||
        die "no C compiler found; install one (Debian, Ubuntu: apt-get install build-essential · macOS: xcode-select --install)"
    floor=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    version=$(rustc --version | sed 's/^rustc \([0-9]*\.[0-9]*\).*/\1/')
    if [ "$(printf '%s\n%s\n' "$floor" "$version" | sort -t. -k1,1n -k2,2n | head -n 1)" != "$floor" ]; then
        die "patternbench needs Rust $floor or newer, this is $version; run \`rustup update stable\`"
    fi
}

# Tests of encrypted connections make certificates with openssl.
need_openssl() { need_command openssl; }

# An independent implementation of the statistics, which tests compare with, is in Python.
need_python() { need_command python3; }

# Apache Otava, which reads what `trend --export otava` writes, in an environment of its own in the user's cache folder;
# prints its program. Where it cannot be had, the test that needs it is ignored.
get_otava() {
    local version=0.8.0 home
    home=${XDG_CACHE_HOME:-$HOME/.cache}/patternbench/otava-$version
    if [ ! -e "$home/complete" ]; then
        rm -rf "$home"
        { mkdir -p "${home%/*}" && python3 -m venv "$home" &&
            "$home/bin/python" -m pip install --quiet --no-compile "apache-otava==$version" && touch "$home/complete"; } >/dev/null 2>&1 ||
            { rm -rf "$home"; return 1; }
    fi
    printf '%s\n' "$home/bin/otava"
}

# A command of the Debian package of the same name, installed where that is possible.
need_command() {
    get_command "$1" || die "$1 is missing; install it (Debian, Ubuntu: sudo apt-get install $1) and run this again"
}

# Whether a command is there, or could be installed from a Debian package (second argument; else of the same name).
get_command() {
    has "$1" && return 0
    if has apt-get && [ "$(id -u)" -eq 0 ]; then
        local package="${2:-$1}"
        say "$1 is missing; installing it with apt-get …"
        { apt-get install -y -qq "$package" || { apt-get update -qq && apt-get install -y -qq "$package"; }; } >/dev/null 2>&1
    fi
    has "$1"
}

# Whether reports can be looked at in a browser: Chromium (CHROMIUM names another program), Node and axe-core, each
# fetched where that is possible; else it says what is missing.
get_browser() {
    [ -n "${CHROMIUM:-}" ] || get_command chromium || { say "there is no Chromium" && return 1; }
    get_command node nodejs && get_command npm || { say "there is no Node with npm" && return 1; }
    [ tests/browser/node_modules/axe-core/package.json -nt tests/browser/package-lock.json ] ||
        (cd tests/browser && npm ci --silent --ignore-scripts && touch node_modules/axe-core/package.json) >/dev/null 2>&1 ||
        { say "axe-core cannot be fetched with npm" && return 1; }
}

# Whether the arguments or the environment name a server of the user's own.
uses_uri() {
    [ -z "${PATTERNBENCH_URI:-}" ] || return 0
    for argument in "$@"; do
        case "$argument" in --uri | --uri=* | --uri-file | --uri-file=*) return 0 ;; esac
    done
    return 1
}

# Builds the release binary; says so only when there is something to build.
build_release() {
    if [ ! -x target/release/patternbench ]; then
        say "Building patternbench (a few minutes, once) …"
    fi
    cargo build --release --locked --quiet
}
