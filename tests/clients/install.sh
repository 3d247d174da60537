#!/bin/sh
# install.sh FOLDER: makes FOLDER a place to run the client scripts in: the scripts, and the packages of package-lock.json
# from npm, which are fetched once. Exit code 3 with a reason on standard output where npm cannot be had or reached.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
folder=$1

mkdir -p "$folder"
cp "$source"/*.mjs "$folder"
cmp -s "$source/package-lock.json" "$folder/node_modules/.complete" && exit 0

if ! command -v npm > /dev/null; then
    echo "npm is not installed"
    exit 3
fi
cd "$folder"
rm -rf node_modules
cp "$source/package.json" "$source/package-lock.json" .
# One of the packages stands for all: whoever can be asked about it can be asked for it.
if ! npm view firecrawl-cli name --fetch-retries=0 --fetch-timeout=20000 > npm.log 2>&1; then
    echo "npm's registry cannot be reached"
    exit 3
fi
if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error > npm.log 2>&1; then
    cat npm.log
    exit 1
fi
# The clients are run by a Node.js of their own: Debian's has no WebSocket, which is what is to be tested.
ln -sf node_modules/node-linux-*/bin/node node
if [ ! -x node ]; then
    echo "there is no Node.js for this machine in package.json"
    exit 3
fi
cp package-lock.json node_modules/.complete
