#!/usr/bin/env bash
# Whether an image can be built and run here without a container engine, found out in a few seconds: prints the storage
# driver that works, or says why not and ends with 1.
#
#   can-build.sh [folder for buildah's storage]
set -uo pipefail

no() {
  echo "no image can be built here: $1" >&2
  exit 1
}

[ "$(uname -s)" = Linux ] && [ -e /etc/debian_version ] || no 'this is no Debian'
[ "$(id -u)" = 0 ] || no 'it takes root'
for program in buildah unshare nsenter chroot setpriv npm; do
  command -v "$program" >/dev/null || no "$program is not installed"
done
unshare --mount --pid --fork true 2>/dev/null || no 'the kernel refuses a mount namespace (unshare)'

place=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$place"' EXIT
volumes=()
for folder in /usr /lib /lib64; do [ -e $folder ] && volumes+=(--volume "$folder:$folder:ro"); done
for driver in overlay vfs; do
  at=(buildah --storage-driver "$driver" --root "$place/probe-$driver" --runroot "$place/probe-$driver.run")
  container=$("${at[@]}" from scratch 2>/dev/null) || continue
  "${at[@]}" run --isolation chroot "${volumes[@]}" "$container" /usr/bin/true 2>/dev/null
  ran=$?
  "${at[@]}" rm "$container" >/dev/null 2>&1
  if [ $ran = 0 ]; then
    echo "$driver"
    exit 0
  fi
done
no 'buildah with chroot isolation cannot run a program'
