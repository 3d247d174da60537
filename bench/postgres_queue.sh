#!/bin/sh
# The queue on PostgreSQL beside NuQ's SQL, graphile-worker and pg-boss, one after the other in one database server that this
# script starts (as the user postgres when it is run by root), with synchronous_commit on.
# usage: bench/postgres_queue.sh [SCRATCH FOLDER]   Needs postgresql, node and npm; peers that cannot be had are skipped.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=${1:-$(mktemp -d)}
bench=${QUEUE_BENCH:-$root/build/release/bench/queue_bench}
if [ ! -x "$bench" ]; then
    "$root/quarry" --version > /dev/null
    ninja -C "$root/build/release" queue_bench > /dev/null
fi
binaries=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
data=$scratch/postgres
as_user() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
mkdir -p "$data" "$scratch/peers"
chmod 755 "$scratch"
[ "$(id -u)" -ne 0 ] || chown postgres "$data"
as_user "$binaries/initdb" -D "$data/db" -A trust -U bench > "$scratch/initdb.log"
cat >> "$data/db/postgresql.conf" << CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$data'
shared_buffers = 512MB
max_wal_size = 4GB
CONF
as_user "$binaries/pg_ctl" -D "$data/db" -l "$data/log" -w start > /dev/null
trap 'as_user "$binaries/pg_ctl" -D "$data/db" -m immediate stop > /dev/null' EXIT

fresh() { # a database of its own; prints its URL
    as_user "$binaries/psql" -q -h 127.0.0.1 -p "$port" -U bench postgres -c "checkpoint" -c "drop database if exists run" -c "create database run"
    echo "postgres://bench@127.0.0.1:$port/run"
}
ours() { url=$(fresh); "$bench" "$@" --store "$url"; }
peer() { url=$(fresh); (cd "$scratch/peers" && node postgres.mjs "$1" "$2" "$3" "$url"); }

ours --drain --jobs 200000
ours --drain --jobs 200000 --queued 1000000
ours --drain --jobs 200000 --pinned
ours --add --producers 16 --jobs 50000
ours --add --producers 4 --bulk 1000 --jobs 200000
ours --pickup
ours --crawl --jobs 50000

if ! command -v npm > /dev/null; then echo "skipped: no npm, so no peers" >&2; exit 0; fi
cp "$root"/bench/peers/postgres.mjs "$scratch/peers"
cp "$root"/bench/peers/postgres.json "$scratch/peers/package.json"
if [ ! -d "$scratch/peers/node_modules" ]; then
    (cd "$scratch/peers" && npm install --no-audit --no-fund > npm.log 2>&1) || { echo "skipped: npm cannot install the peers, see $scratch/peers/npm.log" >&2; exit 0; }
fi
for name in nuq graphile pgboss; do
    peer "$name" drain 20000
done
peer graphile-tuned drain 100000
peer pgboss-batch drain 100000
peer graphile pickup 300
