#!/usr/bin/env bash
# Makes a base like node:24-bookworm-slim out of the machine's own Debian and the Node of npm: nothing is pulled from a
# registry of images. Called with buildah's options in BUILDAH.
#
#   base.sh <name of the image>
set -euo pipefail
container=$(buildah $BUILDAH from scratch)
root=$(buildah $BUILDAH mount "$container")

# The files of what every Debian has, and of what Node is linked with, as this machine has them.
essential=$(dpkg-query --show --showformat '${Essential} ${Package}\n' | sed -n 's/^yes //p')
packages=$(apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances $essential libstdc++6 | grep '^[a-z0-9]')
mkdir --parents "$root"/usr/{bin,sbin,lib,lib64}
# Of alternatives, one is installed, and dpkg complains about the others.
{ dpkg --listfiles $packages 2>/dev/null || true; } | grep '^/[^.]' | grep --invert-match '^/usr/share/\(doc\|locale\|man\)/' |
  sort --unique | while read -r file; do [ ! -e "$file" ] || printf '.%s\0' "$file"; done |
  tar --create --directory / --no-recursion --null --files-from - | tar --extract --directory "$root"
for file in passwd group; do cp "$root/usr/share/base-passwd/$file.master" "$root/etc/$file"; done
chroot "$root" ldconfig

case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x64 ;; esac
# With the machine's own settings of npm, as everything else here.
npm install --global --prefix "$root/usr/local" --ignore-scripts --no-audit --no-fund --loglevel=error \
  "node-linux-$machine@24" npm@11
echo 'node:x:1000:' >>"$root/etc/group"
echo 'node:x:1000:1000::/home/node:/bin/bash' >>"$root/etc/passwd"
install --directory --owner 1000 --group 1000 "$root/home/node"

buildah $BUILDAH config --cmd node "$container"
buildah $BUILDAH commit --quiet --format docker --rm "$container" "$1" >/dev/null
