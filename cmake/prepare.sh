# Shared by ./quarry and ./test: installs missing Debian packages and builds a preset. Speaks only on standard error, so
# that `./quarry scrape URL > page.md` holds the page and nothing else.

say() { printf '%s\n' "$*" >&2; }

# missing_packages PURPOSE...: the names in cmake/packages.txt for these purposes that are not installed. A package whose
# program is there is not missed, wherever it came from: Debian's npm and the Node.js of others exclude each other.
missing_packages() {
    for purpose in "$@"; do
        sed -n "s/^$purpose  *//p" "$root/cmake/packages.txt"
    done | while read -r package program; do
        [ -n "$program" ] && command -v "$program" > /dev/null && continue
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=absent
        [ "$state" = installed ] || printf '%s ' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages PURPOSE...: does nothing when all are there. Never removes a package of the user's.
install_packages() {
    command -v dpkg-query > /dev/null 2>&1 || return 0 # Not Debian: CMake will say what it misses.
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo > /dev/null 2>&1; then
        say "quarry needs these Debian packages: $missing"
        say "error: you are not root and there is no sudo. Ask an administrator to run:"
        say "  apt-get install --no-remove $missing"
        exit 2
    fi
    say "Installing: $missing"
    log=$(mktemp)
    # shellcheck disable=SC2086 # The list is meant to be split.
    if ! { as_root apt-get install -y --no-remove --no-install-recommends $missing > "$log" 2>&1 ||
           { as_root apt-get update > "$log" 2>&1 &&
             as_root apt-get install -y --no-remove --no-install-recommends $missing > "$log" 2>&1; }; }; then
        tail -n 20 "$log" >&2
        say "error: the packages above could not be installed. If apt says it would have to remove a package of yours"
        say "(libboost1.81-dev and the default libboost-dev exclude each other), remove that one first, or build in a container."
        exit 2
    fi
    rm -f "$log"
}

# build PRESET TARGET...: configures once, builds, and shows the compiler's words only when it fails.
build() {
    preset=$1; shift
    mkdir -p "$root/build"
    log=$root/build/$preset.log
    if [ ! -f "$root/build/$preset/build.ninja" ]; then
        (cd "$root" && cmake --preset "$preset" $cmake_options) > "$log" 2>&1 || { cat "$log" >&2; say "error: cannot configure the build"; exit 2; }
    fi
    if [ -t 2 ]; then
        NINJA_STATUS='Building [%f/%t] ' ninja -C "$root/build/$preset" "$@" >&2 || { say "error: the build failed"; exit 2; }
    else
        ninja -C "$root/build/$preset" "$@" > "$log" 2>&1 || { grep -v '^\[' "$log" >&2; say "error: the build failed"; exit 2; }
    fi
}
