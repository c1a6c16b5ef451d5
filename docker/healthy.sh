#!/usr/bin/env bash
# Whether the server at a port of this container answers with 200: ends with 0 then, and with 1 otherwise. Plain bash,
# because a Node process every few seconds in every container costs more than what it asks about.
#
#   healthy.sh [port] [path: /readyz]
#
# Without a port: METRICS_PORT, or the dashboard's where nothing listens there, as with `up`.
path=${2:-/readyz}
connect() { port=$1 && exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null
connect "${1:-$METRICS_PORT}" || { [ $# = 0 ] && connect "${PORT:-7810}"; } || exit 1
printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$path" "$port" >&3
read -r -t 4 _ status _ <&3
[ "$status" = 200 ]
