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
    packages_changed=yes
}

# build PRESET TARGET...: configures once, builds, and shows the compiler's words only when it fails.
build() {
    preset=$1; shift
    mkdir -p "$root/build"
    log=$root/build/$preset.log
    # A build that was begun with other options would keep them.
    if [ ! -f "$root/build/$preset/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$root/build/$preset/CMakeCache.txt" ]; then
        (cd "$root" && cmake --fresh --preset "$preset") > "$log" 2>&1 || { cat "$log" >&2; say "error: cannot configure the build"; exit 2; }
    elif [ "${packages_changed:-}" = yes ]; then
        # What was missing when ./quarry configured the build may be here now: some tests need it.
        (cd "$root" && cmake --preset "$preset") > "$log" 2>&1 || { cat "$log" >&2; say "error: cannot configure the build"; exit 2; }
    fi
    if [ -t 2 ]; then
        NINJA_STATUS='Building [%f/%t, %es] ' ninja -C "$root/build/$preset" "$@" >&2 || { say "error: the build failed"; exit 2; }
    else
        report_build "$log" & reporter=$!
        status=0
        NINJA_STATUS='[%f/%t] ' ninja -C "$root/build/$preset" "$@" > "$log" 2>&1 || status=$?
        kill "$reporter" 2> /dev/null || true
        wait "$reporter" 2> /dev/null || true
        [ "$status" -eq 0 ] || { grep -v '^\[' "$log" >&2; say "error: the build failed"; exit 2; }
    fi
}

# up_to_date: whether the program is built from the sources as they are. Costs a few milliseconds.
up_to_date() {
    [ -x "$root/build/release/quarry" ] && [ -f "$root/build/release/.built" ] &&
        [ -z "$(find "$root/src" "$root/cmake" "$root/CMakeLists.txt" "$root/CMakePresets.json" -newer "$root/build/release/.built" -print -quit)" ]
}

# build_program TARGET...: builds targets of the program's own build. Two first starts at once build one after the other.
build_program() {
    mkdir -p "$root/build"
    exec 9> "$root/build/.lock"
    flock 9
    if [ "$*" != quarry ] || ! up_to_date; then
        [ -x "$root/build/release/quarry" ] || say "Building quarry (once; about four minutes on two cores) ..."
        touch "$root/build/.started"
        build release "$@"
        mv "$root/build/.started" "$root/build/release/.built" # Its time is the build's start, so an edit made meanwhile is not missed.
    fi
    exec 9>&-
}

# report_build LOG: says every ten seconds how far the build is that writes LOG, until it is killed.
report_build() {
    parent=$$
    seconds=0
    while sleep 10 > /dev/null 2>&1 9>&- && kill -0 "$parent" 2> /dev/null; do
        seconds=$((seconds + 10))
        progress=$(sed -n 's,^\[\([0-9]*\)/\([0-9]*\)\].*,\1 \2,p' "$1" 2> /dev/null | tail -n 1)
        done=${progress% *}
        total=${progress#* }
        if [ "${done:-0}" -gt 0 ]; then
            left=$((seconds * (total - done) / done))
            say "Building: $done of $total, about $((left / 60)) min $((left % 60)) s left"
        else
            say "Building: 0 of ${total:-?}"
        fi
    done
}
