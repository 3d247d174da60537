#!/bin/sh
# A whole crawl to stored, durable markdown, on the race track of shared/bench/crawl, beside its peers.
# usage: bench/crawl.sh TRACK [SITE PEER...]...
#   TRACK  a copy of shared/bench/crawl in which ./setup.sh and ./serve.sh start have run
#   SITE   pg, gen10k, cppref, pg-delay …; PEER  quarry, wget2, scrapy-md, crawlee-md, spider …
# for instance: bench/crawl.sh /var/tmp/track pg quarry wget2 scrapy-md -- gen10k quarry wget2 spider
# Data folders are made in DATA (the current folder's file system by default), anew for each run. ROUNDS=3 by default.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
track=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- pg quarry wget2 scrapy-md crawlee-md -- gen10k quarry wget2 spider -- cppref quarry wget2 -- pg-delay quarry wget2
"$root/quarry" --version > /dev/null
data=$(mktemp -d "${DATA:-$PWD}/crawl-data.XXXXXX")
trap 'rm -rf "$data"' EXIT
echo "quarry's data folder is on $(findmnt -n -o FSTYPE -T "$data")"
export QUARRY_DATA="$data/now"

cat > "$data/crawl" << 'SCRIPT'
#!/bin/sh
# crawl PROGRAM START CONCURRENCY: a fresh data folder each time; the last line is the number of pages.
rm -rf "$QUARRY_DATA"
"$1" crawl "$2" --wait --json --allow-private --entire-domain --max-concurrency "$3" --delay 0 --limit 1000000 > "$QUARRY_DATA.record" 2> /dev/null
sed 's/.*"urls_completed":\([0-9]*\).*/\1/' "$QUARRY_DATA.record" | tail -1
SCRIPT
chmod +x "$data/crawl"

site=
for word in "$@"; do
    if [ "$word" = -- ]; then site=; continue; fi
    if [ -z "$site" ]; then site=$word; continue; fi
    for round in $(seq "${ROUNDS:-3}"); do
        if [ "$word" = quarry ]; then
            CMD="$data/crawl $root/build/release/quarry {start} {conc}" PAGES_FROM=stdout "$track/run.sh" "$site" custom | sed 's/"custom"/"quarry"/'
        else
            "$track/run.sh" "$site" "$word"
        fi
    done
done
