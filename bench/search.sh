#!/bin/sh
# Search through the whole program: search.sh SHARED [CHUNKS.jsonl]
# Quality on the four collections of SHARED/bench/retrieval, by words alone and with the builtin space; then, with a file of
# bench/make_chunks, how fast it is imported, what a worker with that index open needs, and how long questions take.
set -eu
root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
shared=$1
quarry=${QUARRY:-$root/build/release/quarry}
scratch=$(mktemp -d)
export QUARRY_DATA="$scratch/data"
trap '"$quarry" daemon stop > /dev/null 2>&1 || true; rm -rf "$scratch"' EXIT

for set in scifact cranfield cisi pubmedqa; do
    folder=$shared/bench/retrieval/$set
    "$quarry" import "$folder/corpus.jsonl" --collection "$set" 2>&1 | grep documents || true
    for mode in keyword hybrid; do
        "$quarry" search --batch "$folder/queries.jsonl" --collection "$set" --mode $mode > "$scratch/$set.$mode"
        echo "$set $mode $(python3 "$folder/../score.py" "$folder" "$scratch/$set.$mode")"
    done
done

[ $# -gt 1 ] || exit 0
time "$quarry" import "$2" --collection large
"$quarry" collections show large
"$quarry" daemon start
python3 "$root/bench/search_latency.py" "$QUARRY_DATA" large
