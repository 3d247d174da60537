#!/usr/bin/env python3
"""Writes src/html/entities.inc, the named character references of the HTML standard, sorted by name.

usage: make_entities.py namedEntities.test > src/html/entities.inc
The input is the html5lib tokenizer test of that name: one case per reference."""
import json
import sys

references = {}
for test in json.load(open(sys.argv[1]))["tests"]:
    if test["description"].startswith("Named entity: "):
        references[test["input"][1:]] = test["output"][0][1]

print("// Made by tools/make_entities.py; do not edit. Name, then its characters in UTF-8.")
for name in sorted(references, key=lambda text: text.encode()):
    escaped = "".join(f"\\{byte:03o}" for byte in references[name].encode())
    print(f'{{"{name}", "{escaped}"}},')
