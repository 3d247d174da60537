#!/bin/sh
# service_test.sh PROGRAM: quarry.service under a systemd of its own, which is the first process of its namespaces and has this
# machine's files with the package installed on top. Everything the unit forbids is forbidden: the service starts, a page that a
# script draws is rendered in the sandboxed browser, and a member of the group uses it.
# Takes root, overlayfs and a cgroup hierarchy; in most containers these are not to be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)

if [ "${2:-}" != --booted ]; then
    program=$1
    systemd=/lib/systemd/systemd
    skip() { echo "SKIPPED: quarry.service under systemd: $*"; exit 0; }
    [ "$(id -u)" -eq 0 ] || skip "takes root"
    [ -x "$systemd" ] && command -v dbus-daemon > /dev/null || skip "systemd or dbus is not installed"
    [ -e /usr/lib/chromium/chromium-headless-shell ] || command -v chromium > /dev/null || skip "there is no browser"
    command -v cpack > /dev/null && command -v dpkg-shlibdeps > /dev/null || skip "there is no CPack or dpkg-dev"
    if command -v quarry > /dev/null; then skip "a quarry is installed here, which would be in the way"; fi

    work=$(mktemp -d)
    tree=
    # A cgroup of its own, below ours: all that runs in it ends with it.
    for top in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
        if [ -f "$top/cgroup.procs" ]; then tree=$top; break; fi
    done
    [ -n "$tree" ] || skip "there are no cgroups"
    own=$tree/quarry-test-$$
    mkdir "$own" 2> /dev/null || skip "no cgroup can be made"
    ended() {
        [ -z "${first:-}" ] || { kill -KILL "$first" && wait "$first"; } 2> /dev/null || true
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            find "$own" -depth -type d -exec rmdir {} \; 2> /dev/null || true
            [ -d "$own" ] || break
            sleep 0.2
        done
        rm -rf "$work"
    }
    trap ended EXIT
    trap 'exit 1' INT TERM
    QUARRY_PROGRAM="$program" "$source/tools/package" "$work" > /dev/null
    mkdir "$work/tree" "$work/site"
    {
        echo '<!doctype html><title>An empty page</title><div id=root></div><script>'
        echo 'document.getElementById("root").innerHTML = "<h1>Drawn by a script</h1>" + "<p>words that a script has written</p>".repeat(20)'
        echo '</script>'
    } > "$work/site/index.html"
    sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$own" \
        unshare --mount --pid --fork --uts --ipc --net --cgroup --kill-child=KILL \
        sh "$0" "$work" --booted "$(stat -f -c %T "$tree")" > "$work/log" 2>&1 &
    first=$!
    tries=0
    until [ -f "$work/out/done" ]; do
        tries=$((tries + 1))
        if ! kill -0 "$first" 2> /dev/null || [ "$tries" -gt 600 ]; then
            cat "$work/log"
            [ -f "$work/out/up" ] || skip "systemd does not start here"
            echo "FAILED: the test has not come to an end"
            exit 1
        fi
        sleep 0.1
    done
    cat "$work/out/said"
    grep -q '^FAILED' "$work/out/said" && exit 1
    exit 0
fi

# --- In the new namespaces: put the tree together and become systemd ---
work=$1
kind=$3
mount --make-rprivate /
mount -t tmpfs tmpfs "$work/tree"
mkdir "$work/tree/upper" "$work/tree/inner" "$work/tree/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/tree/upper,workdir=$work/tree/inner" "$work/tree/root"
root=$work/tree/root
mkdir -p "$work/out" "$root/srv/quarry-test" "$root/srv/quarry-out"
mount --bind "$work/out" "$root/srv/quarry-out"
cp -r "$work/site" "$work"/*.deb "$root/srv/quarry-test/"
# It must not touch this machine: its kernel's settings, its devices and its file systems are out of reach.
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
for device in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0; do
    number=${device#*:}
    mknod -m 666 "$root/dev/${device%%:*}" c "${number%:*}" "${number#*:}"
done
rm -f "$root/etc/fstab"
if [ "$kind" = cgroup2fs ]; then
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
else
    mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
    mkdir "$root/sys/fs/cgroup/systemd"
    mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
fi
ip link set lo up 2> /dev/null || true
chroot "$root" sh -c "dpkg -i /srv/quarry-test/*.deb"

# Nothing of this machine's own services: a target with the message bus, quarry and what asks of it.
units=$root/etc/systemd/system
rm -rf "$units"
mkdir -p "$units"
cat > "$units/quarry-test.target" <<'X'
[Unit]
Wants=dbus.socket quarry.service quarry-test.service
After=dbus.socket
AllowIsolate=yes
X
cat > "$units/quarry-test.service" <<'X'
[Service]
Type=oneshot
ExecStart=/bin/sh /srv/quarry-test/ask.sh
X
sed -i 's/^\[fetch\]/&\nallowed_networks = ["127.0.0.1\/32"]/' "$root/etc/quarry/quarry.toml"
cat > "$root/srv/quarry-test/ask.sh" <<'X'
touch /srv/quarry-out/up
exec > /srv/quarry-out/said 2>&1
trap 'journalctl --no-pager -u quarry | tail -n 20; touch /srv/quarry-out/done' EXIT
check() {
    sentence=$1; shift
    if "$@" > /tmp/said 2>&1; then echo "ok: $sentence"; else echo "FAILED: $sentence"; cat /tmp/said; fi
}
check "the service starts" systemctl start quarry
cd /srv/quarry-test/site && python3 -m http.server --bind 127.0.0.1 8765 > /dev/null 2>&1 &
sleep 1
useradd -M quarry-member
usermod -a -G quarry quarry-member
member() { setpriv --reuid quarry-member --regid quarry-member --init-groups env -i PATH=/usr/bin:/bin HOME=/nonexistent "$@"; }
rendered() {
    python3 -c '
import json, urllib.request
asked = json.dumps({"url": "http://127.0.0.1:8765/", "render": "always", "formats": ["markdown"]}).encode()
request = urllib.request.Request("http://127.0.0.1:3002/v2/scrape", asked, {"Content-Type": "application/json"})
answer = urllib.request.urlopen(request, timeout=60).read().decode()
print(answer)
assert "# Drawn by a script" in json.loads(answer)["data"]["markdown"]'
}
check "a page is rendered under its restrictions" rendered
no_new_privileges() { grep -q '^NoNewPrivs:.*1' "/proc/$(systemctl show -P MainPID quarry)/status"; }
check "the restrictions are there" no_new_privileges
check "a member of its group has it crawl" member quarry crawl http://127.0.0.1:8765/ --wait
check "and reads what it has" member quarry status --list
check "it stops when asked to" systemctl stop quarry
check "and has ended well" test "$(systemctl show -P Result quarry)" = success
X
cd "$root"
mkdir -p old
pivot_root . old
cd /
umount -l /old
exec env -i container=quarry-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --log-target=console \
    --unit=quarry-test.target
