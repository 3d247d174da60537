#!/bin/sh
# install_test.sh PROGRAM: makes the package of PROGRAM and does with it what a user does, in a root of its own: installs it, runs
# the demo, shares the service with a group, upgrades, removes, purges. Then nothing is left but the data.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
program=$1
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT

trap 'exit 1' INT TERM

failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
skip() { echo "SKIPPED: $*"; }
# expect SENTENCE COMMAND...: what it says is shown if it fails.
expect() {
    sentence=$1; shift
    if "$@" > "$work/said" 2>&1; then echo "ok: $sentence"; else fail "$sentence ($*)"; cat "$work/said"; fi
}
end() {
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}

for tool in cpack dpkg-deb dpkg-shlibdeps apt-cache strip; do
    command -v "$tool" > /dev/null || { skip "the package, without $tool"; exit 0; }
done
package=$(QUARRY_PROGRAM="$program" "$source/tools/package" "$work")
version=$("$program" --version | cut -d ' ' -f 2)
[ "$package" = "$work/quarry_${version}_amd64.deb" ] || fail "the package is called $package"
dpkg-deb -x "$package" "$work/files"
dpkg-deb -R "$package" "$work/control"

# --- What is in it ---
if command -v lintian > /dev/null; then
    expect "lintian finds no error" lintian --allow-root --fail-on error "$package"
else
    skip "lintian, which is not installed"
fi
if command -v systemd-analyze > /dev/null; then
    # Of the unit alone: systemd-analyze wants the program where the unit says it is.
    expect "systemd finds the service confined (an exposure of at most 3.0)" \
        systemd-analyze security --offline=true --no-pager --threshold=30 "$work/files/lib/systemd/system/quarry.service"
else
    skip "systemd-analyze, which is not installed"
fi
expect "the script for bash is one" bash -n "$work/files/usr/share/bash-completion/completions/quarry"
gzip -dc "$work/files/usr/share/man/man1/quarry.1.gz" > "$work/quarry.1"
for command in $("$program" --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]*\) .*/\1/p'); do
    grep -q "^\.SS .*quarry $(echo "$command" | sed 's/-/\\\\-/g')" "$work/quarry.1" || fail "quarry(1) does not tell of quarry $command"
done
if command -v man > /dev/null; then
    LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l "$work/quarry.1" 2> "$work/warnings" > /dev/null || true
    expect "quarry(1) is sound roff" test ! -s "$work/warnings"
fi
expect "it depends on the libraries that the program is linked with" grep -q '^Depends: .*libcurl4.*libsqlite3-0' "$work/control/DEBIAN/control"
expect "it recommends a browser" grep -q '^Recommends: .*chromium' "$work/control/DEBIAN/control"

# --- In a root of its own ---
if [ "$(id -u)" -ne 0 ]; then skip "the installation, which takes root"; end; fi
root=$work/root
# shellcheck disable=SC2046 # The list is meant to be split.
"$here/make_root.sh" "$root" $(dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
cp "$package" "$root/tmp/quarry.deb"
# A worker finds its own program in /proc.
if ! mount -t proc proc "$root/proc" 2> /dev/null && ! mount --bind /proc "$root/proc" 2> /dev/null; then
    skip "the installation, which takes the right to mount /proc"
    end
fi
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; umount -l "$root/proc"; rm -rf "$work"' EXIT
within() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
# as USER COMMAND...: with the groups that the user has been given.
as() {
    user=$1; shift
    within setpriv --reuid "$user" --regid "$user" --init-groups env HOME="/home/$user" "$@"
}
all_files() {
    (cd "$root" && find . -path ./proc -prune -o -path ./tmp -prune -o -print) | sort
}

within useradd -m anna
within useradd -m berta
all_files > "$work/before"
cp "$root/etc/passwd" "$work/passwd"
expect "it is installed" within dpkg -i /tmp/quarry.deb
within dpkg --triggers-only --pending > /dev/null # those of the root itself, which is as new
expect "nothing is half done" test -z "$(within dpkg --audit)"
expect "the program starts" within quarry --version
expect "an ordinary user sees the demo" as anna quarry demo
[ "$(as anna quarry search crash --collection demo --limit 1 --json | grep -c '"url"')" -ge 1 ] || fail "the demo's pages are not found"

# The service, as its unit starts it. systemd makes its folder; that the unit is taken by systemd is service_test.sh's.
unit=$root/lib/systemd/system/quarry.service
unit_value() { sed -n "s/^$1=//p" "$unit"; }
within install -d -o quarry -g quarry -m "$(unit_value StateDirectoryMode)" /var/lib/quarry
# shellcheck disable=SC2046
start_service() {
    : > "$work/service"
    (umask "$(unit_value UMask)" && exec chroot "$root" setpriv --reuid quarry --regid quarry --init-groups \
        env -i $(unit_value Environment) $(unit_value ExecStart) --listen 127.0.0.1:0) > "$work/service" 2>&1 &
    server=$!
    tries=0
    until grep -q '^Serving' "$work/service"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2> /dev/null; then
            fail "the service does not start"
            cat "$work/service"
            break
        fi
        sleep 0.1
    done
}
stop_service() {
    kill "$server"
    wait "$server" || true
    server=
}
start_service
within usermod -a -G quarry berta
echo '# The kiwi is a bird' > "$root/home/berta/kiwi.md"
expect "a member of the group gives the service something" as berta quarry import /home/berta/kiwi.md --collection birds
expect "and finds it there" as berta quarry search kiwi --collection birds
expect "and reads it" as berta quarry export pages --collection birds
expect "and has no folder of her own for that" test ! -e "$root/home/berta/.local"
expect "the doctor finds nothing wrong with that" as berta quarry doctor
if as anna quarry --data /var/lib/quarry status > "$work/said" 2>&1; then
    fail "everybody may look into the service's data"
    cat "$work/said"
fi
if as anna quarry --data /var/lib/quarry forget --collection birds --yes > "$work/said" 2>&1; then
    fail "everybody may speak to the service"
fi
stop_service
expect "what it has is read without it, too" as berta quarry search kiwi --collection birds
if as berta quarry forget --collection birds --yes > "$work/said" 2>&1; then fail "a service that is stopped is not missed"; fi
grep -q 'systemctl start quarry' "$work/said" || { fail "nobody says how to start the service"; cat "$work/said"; }

# --- Upgraded over itself ---
echo '# mine' >> "$root/etc/quarry/quarry.toml"
expect "it is upgraded over itself" within dpkg -i /tmp/quarry.deb
expect "a setting of the administrator's stays" grep -q '^# mine' "$root/etc/quarry/quarry.toml"
expect "what was there is found" as anna quarry search crash --collection demo
start_service
expect "what the service has is found" as berta quarry search kiwi --collection birds
stop_service

# --- Removed and purged ---
expect "it is removed" within dpkg -r quarry
expect "the program is gone" test ! -e "$root/usr/bin/quarry"
expect "settings stay until it is purged" test -e "$root/etc/quarry/quarry.toml"
expect "it is purged" within dpkg -P quarry
all_files > "$work/after"
left=$(comm -13 "$work/before" "$work/after" | grep -v -E '^\./(var/lib/quarry|home/anna/\.local|home/berta/kiwi\.md)' |
    grep -v -E '^\./(var/log|var/lib/dpkg|var/cache)/|^\./etc/(passwd|group|shadow|gshadow|subuid|subgid)-?$' || true)
[ -z "$left" ] || fail "this was left behind: $left"
lost=$(comm -23 "$work/before" "$work/after" | grep -v -E '^\./(var/log|var/lib/dpkg|var/cache)/' || true)
[ -z "$lost" ] || fail "this was taken along: $lost"
expect "the data is still there" test -s "$root/var/lib/quarry/quarry.db" -a -s "$root/home/anna/.local/share/quarry/quarry.db"
expect "and so is the user it belongs to" within id quarry
within rm -rf /var/lib/quarry
within dpkg -i /tmp/quarry.deb > /dev/null
expect "where there is no data, a purge leaves no user either" within dpkg -P quarry
if within id quarry > /dev/null 2>&1; then fail "the user quarry was left behind"; fi
end
