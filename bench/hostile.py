#!/usr/bin/env python3
"""Converts hostile pages and prints time, memory and whether the text before and after the hostile part came out.
usage: bench/hostile.py [GENERATOR]    (default: shared/suites/gen_hostile.py beside the checkout)"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
generator = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, '../shared/suites/gen_hostile.py')
if not os.path.exists(generator):
    sys.exit(f'skipped: no {generator}')
# What ends each hostile part, so that the paragraph after it is content again by the rules of HTML itself.
CLOSE = {'comments': '-->', 'big_attribute': '', 'attributes': ''}
AFTER = '<p>' + 'After the hostile part there are ordinary words again. ' * 8 + '</p>'
program = os.environ.get('QUARRY') or os.path.join(root, 'build/release/quarry')
bad = 0
with tempfile.TemporaryDirectory() as scratch:
    subprocess.run([sys.executable, generator, scratch], check=True)
    for name in sorted(os.listdir(scratch)):
        path = os.path.join(scratch, name)
        with open(path, 'a') as page:
            page.write(CLOSE.get(name[:-5], '') + AFTER)
        start = time.perf_counter()
        process = subprocess.Popen([program, 'convert', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, err = process.communicate()
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024  # the largest so far
        before, after = 'Before the hostile part' in out, 'After the hostile part' in out
        good = process.returncode == 0 and before and after and seconds < 1 and peak < 300
        bad += not good
        print(f'{"ok  " if good else "LOOK"} {name:32} {seconds:6.3f} s  peak so far {peak:4} MB  before {before}  after {after}  '
              f'{re.sub(chr(10), " ", err)[:80]}')
sys.exit(bad > 0)
