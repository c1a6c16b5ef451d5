#!/usr/bin/env bash
# Makes a base like node:24-bookworm-slim out of the machine's own Debian and the Node of npm: nothing is pulled from a
# registry of images. Called with buildah's options in BUILDAH.
#
#   base.sh <name of the image> <empty folder to work in>
set -euo pipefail
name=$1 root=$2/root
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $VERSION_CODENAME" "Component: main" | head -1)

debootstrap --variant=minbase "$VERSION_CODENAME" "$root" "$mirror" >"$2/debootstrap.log" || {
  tail -3 "$2/debootstrap.log" >&2
  exit 1
}
case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x64 ;; esac
# With the machine's own settings of npm, as everything else here.
npm install --global --prefix "$root/usr/local" --ignore-scripts --no-audit --no-fund --loglevel=error \
  "node-linux-$machine@24" npm@11
chroot "$root" useradd --uid 1000 --user-group --create-home node
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

container=$(buildah $BUILDAH from scratch)
buildah $BUILDAH add --quiet "$container" "$root" / >/dev/null
buildah $BUILDAH config --cmd node "$container"
buildah $BUILDAH commit --quiet --format docker --rm "$container" "$name" >/dev/null
