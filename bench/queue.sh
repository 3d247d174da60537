#!/bin/sh
# The embedded queue beside plainjob (SQLite), and the queue in Redis beside BullMQ, one after the other on this machine.
# usage: bench/queue.sh [SCRATCH FOLDER]   Needs node, npm and redis-server; peers that cannot be had are skipped.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=${1:-$(mktemp -d)}
bench=$root/build/release/bench/queue_bench
"$root/quarry" --version > /dev/null
ninja -C "$root/build/release" queue_bench > /dev/null
mkdir -p "$scratch/data"
cp "$root"/bench/peers/* "$scratch"
echo "file system: $(findmnt -n -o FSTYPE -T "$scratch")"

ours() { "$bench" "$@" --folder "$scratch/data"; }
ours --drain --jobs 200000
ours --drain --jobs 200000 --normal
ours --drain --jobs 100000 --queued 10000
ours --drain --jobs 100000 --queued 1000000
ours --add --producers 16 --jobs 50000
ours --add --bulk 1000 --jobs 200000
ours --pickup --jobs 200
ours --outbox --jobs 100000

if ! command -v npm > /dev/null; then echo "skipped: no npm, so no peers" >&2; exit 0; fi
if [ ! -d "$scratch/node_modules" ]; then
    (cd "$scratch" && npm install --no-audit --no-fund > npm.log 2>&1 && npm install-scripts approve better-sqlite3 >> npm.log 2>&1 &&
        npm rebuild better-sqlite3 >> npm.log 2>&1) || { echo "skipped: npm cannot install the peers, see $scratch/npm.log" >&2; exit 0; }
fi
cd "$scratch"
node plainjob.mjs drain FULL 20000 data
node plainjob.mjs drain NORMAL 50000 data
node plainjob.mjs add FULL 20000 data
node plainjob.mjs pickup FULL 30 data
if ! command -v redis-server > /dev/null; then echo "skipped: no redis-server, so no BullMQ" >&2; exit 0; fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
redis-server --port "$port" --bind 127.0.0.1 --dir "$scratch/data" --appendonly yes --appendfsync everysec --save '' > redis.log &
redis=$!
trap 'kill $redis' EXIT
until redis-cli -p "$port" ping > /dev/null 2>&1; do :; done
in_redis() { ours "$@" --store "redis://127.0.0.1:$port"; }
for _ in 1 2 3; do
    node bullmq.mjs drain 50000 "$port"
    in_redis --drain --jobs 200000
    redis-cli -p "$port" flushall > /dev/null
done
node bullmq.mjs pickup 200 "$port"
in_redis --pickup --jobs 200
