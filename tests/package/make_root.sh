#!/bin/sh
# make_root.sh ROOT PACKAGE...: a Debian of its own in the folder ROOT, with Debian's essential packages, these, and what they
# depend on: nothing else that this machine has, so that a library nobody depends on is missed. It is made of the packages
# installed here, which takes seconds and no network. As root.
set -eu
root=$1
shift

# apt-cache also names what only others provide; of that there are no files here.
essential=$(dpkg-query -W -f '${Essential} ${Package}\n' | sed -n 's/^yes //p')
# shellcheck disable=SC2086 # The lists are meant to be split, here and below.
wanted=$(apt-cache depends --recurse --installed --important --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances $essential "$@" | sed -n 's/^\([a-z0-9][^ :]*\).*/\1/p' | sort -u)
# shellcheck disable=SC2086
packages=$({ dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' $wanted 2> /dev/null || true; } |
    sed -n 's/^installed //p' | sort -u)

mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" \
    "$root/var/lib/dpkg/triggers"
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
# Some files of packages are not there: an image for containers leaves out documentation.
# shellcheck disable=SC2086
dpkg-query -L $packages | grep '^/' | sort -u |
    tar -c --no-recursion --ignore-failed-read --warning=no-failed-read -C / -T - 2> /dev/null |
    tar -x --keep-directory-symlink -C "$root" 2> /dev/null

# What dpkg knows of them.
for package in $packages; do cp -a "/var/lib/dpkg/info/$package".* "$root/var/lib/dpkg/info/"; done
[ ! -f /var/lib/dpkg/info/format ] || cp -a /var/lib/dpkg/info/format "$root/var/lib/dpkg/info/"
# shellcheck disable=SC2086
dpkg-query -s $packages > "$root/var/lib/dpkg/status"

# What their installation would have made.
cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
cp "$root/usr/share/libc-bin/nsswitch.conf" "$root/etc/nsswitch.conf"
cp -a /etc/alternatives "$root/etc/"
mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root/run" "$root/home"
chmod 1777 "$root/tmp"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/urandom" c 1 9
ldconfig -r "$root"
chroot "$root" /usr/sbin/update-shells
