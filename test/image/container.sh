#!/usr/bin/env bash
# Runs a program as a container of docker-compose.yml does: the image's files, only to be read; a volume for the data; a
# /tmp in memory; a user without any capability; and, as `init: true`, somebody who passes signals on and buries the dead.
#
#   unshare --mount --pid --fork --kill-child container.sh <root> <volume> <command that enters it ...>
set -euo pipefail
root=$1 volume=$2
shift 2
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs -o size=64m,mode=1777 tmpfs "$root/tmp"
mount --bind "$volume" "$root/data/strandline"
mount -o remount,bind,ro "$root"
"$@" &
program=$!
trap 'kill -TERM $program' TERM
code=0
wait $program || code=$?
# A signal ends the waiting, and not the program.
while kill -0 $program 2>/dev/null; do wait $program && code=0 || code=$?; done
exit $code
