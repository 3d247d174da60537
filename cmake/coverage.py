#!/usr/bin/env python3
"""Prints line coverage by folder of src/. usage: coverage.py SOURCE_ROOT BUILD_FOLDER (after the tests ran there)."""
import collections
import json
import os
import subprocess
import sys

root, build = (os.path.realpath(path) for path in sys.argv[1:3])
counters = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith('.gcda')]
hits = collections.defaultdict(lambda: collections.defaultdict(int))
for start in range(0, len(counters), 50):
    # Into files it would write those of the same name over each other, and many folders have an options.cc.
    reports = subprocess.run(['gcov', '--json-format', '--stdout', *counters[start:start + 50]], cwd=build, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for report in reports.splitlines():
        for file in json.loads(report)['files'] if report else []:
            path = os.path.relpath(os.path.realpath(os.path.join(root, file['file'])), root)
            if path.startswith('src/') and not path.endswith('_test.cc'):
                for line in file['lines']:
                    hits[path][line['line_number']] += line['count']

folders = collections.defaultdict(lambda: [0, 0])
for path, lines in hits.items():
    folder = folders[os.path.dirname(path)]
    folder[0] += sum(count > 0 for count in lines.values())
    folder[1] += len(lines)
for name, (covered, total) in sorted(folders.items()):
    print(f'{name:16} {100 * covered / total:5.1f} %  {covered} of {total} lines')
covered, total = (sum(pair[i] for pair in folders.values()) for i in (0, 1))
print(f'{"all":16} {100 * covered / max(1, total):5.1f} %  {covered} of {total} lines')
