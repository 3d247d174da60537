#!/bin/sh
# Quality and speed of `convert` on the extraction sets. usage: bench/extraction.sh [FOLDER WITH harness/ AND data/]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bench=${1:-$root/../shared/bench/extraction}
if [ ! -d "$bench/data" ]; then echo "skipped: no data in $bench" >&2; exit 0; fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$root"
./quarry --version > /dev/null
harness=$bench/harness
for set in aeb wcxb traf docsgen; do
    python3 "$harness/run.py" --data "$bench/data/$set" --name "$set" --cmd "$harness/quarry-convert" --cpu 1 --out "$out" --tmp "$out/pages"
    python3 "$harness/score.py" --data "$bench/data/$set" --out "$out/$set"
done
for round in 1 2 3; do
    python3 "$harness/run.py" --data "$bench/data/aeb,$bench/data/wcxb" --name speed --cmd "$harness/quarry-convert" --cpu 1 --out "$out" --tmp "$out/pages"
done
if command -v cmark-gfm > /dev/null; then
    QUARRY_ARGS=--full-page python3 "$harness/score_md.py" --cases "$bench/data/mdcases/cases.json" --name quarry \
        --cmd "$harness/quarry-convert" --kinds pair,roundtrip
else
    echo "skipped: cmark-gfm is not installed, so the markdown cases cannot be rendered" >&2
fi
