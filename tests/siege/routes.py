#!/usr/bin/env python3
"""Every route of /openapi.json with values that nobody expects: wrong types, huge and hostile texts, deep nesting, odd ids.

Whatever is sent, the answer is JSON with a status that says whose fault it is, and never the end of the server.
"""
import json
import urllib.parse

from siege import Siege, Server

TEXTS = ["", " ", "a" * 100_000, "\x00", "\u202e", "💥" * 1_000, "../../etc/passwd", "'; DROP TABLE job;--", "%00", "{{7*7}}",
         "http://", "http://[::1", "ftp://a.example/", "http://a.example:99999/", "file:///etc/passwd", "javascript:alert(1)",
         "0199c5a0-3f2b-7c11-8a4e-5f0b6d2c9e10", "-1", "9" * 400, "1e308", "NaN", "*/0 * * * *", "[", "((((", "a" * 50 + "!" * 50, "\ud800"]
NUMBERS = [0, -1, 1, 2**31, 2**53, 2**63, -2**63, 2**64, 1e308, -0.0, 1e-320, 0.5, 10**30]


def some_value(dice, depth=0):
    kind = dice.randrange(9)
    if kind < 3:
        return dice.choice(TEXTS)
    if kind < 5:
        return dice.choice(NUMBERS)
    if kind == 5:
        return dice.choice([None, True, False])
    if depth > 4:
        return dice.choice([[], {}])
    if kind == 6:
        return [some_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    if kind == 7:
        return {dice.choice(TEXTS)[:40]: some_value(dice, depth + 1) for _ in range(dice.randrange(4))}
    nested = "deep"
    for _ in range(dice.choice([10, 40, 300])):
        nested = [nested] if dice.random() < 0.5 else {"a": nested}
    return nested


def properties_of(document, operation):
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    while "$ref" in schema:
        at = document
        for part in schema["$ref"].lstrip("#/").split("/"):
            at = at[part]
        schema = at
    return sorted(schema.get("properties", {}))


FIELDS = ["url", "urls", "limit", "query", "formats", "scrapeOptions", "webhook", "ids", "id", "collection", "schema", "prompt", "options",
          "cron", "filter", "states", "kind", "group", "maxDepth", "includePaths", "delay", "actions", "headers", "priority", "batch_size"]


def some_body(dice, fields):
    if dice.random() < 0.1:
        return dice.choice([b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":' * 3_000, b"7"])
    names = dice.sample(fields, min(len(fields), dice.randrange(1, 6)))
    body = {name: some_value(dice) for name in names}
    if dice.random() < 0.5:
        body["url"] = "http://203.0.113.1/"  # an address of documentation, so that it passes as an address of the web
    return json.dumps(body).encode("utf-8", "surrogatepass")


with Siege(__doc__) as siege:
    server = Server(siege, environment={"QUARRY_FETCH_TIMEOUT": "1s", "QUARRY_FETCH_CONNECT_TIMEOUT": "1s"}, arguments=["--workers", "1"])
    document = server.ask("GET", "/openapi.json").json()
    routes = [(path, method.upper(), operation) for path, methods in document["paths"].items()
              for method, operation in methods.items() if method in ("get", "post", "put", "delete", "patch")]
    siege.check(len(routes) > 50, "the description names hardly a route")
    for _ in siege.rounds():
        path, method, operation = siege.dice.choice(routes)
        if "events" in path or "{id}/wait" in path:
            continue  # streams, which end when we do
        while "{" in path:
            before, _, rest = path.partition("{")
            word = siege.dice.choice(TEXTS).replace("\ud800", "")[:2_000]
            path = before + urllib.parse.quote(word or "x", safe="") + rest.partition("}")[2]
        if siege.dice.random() < 0.4:
            text = siege.dice.choice(TEXTS).replace("\ud800", "")[:2_000]
            path += f"?{siege.dice.choice(FIELDS)}={urllib.parse.quote(text)}"
        body = None
        if method in ("POST", "PUT", "PATCH"):
            body = some_body(siege.dice, properties_of(document, operation) or FIELDS)
        try:
            answer = server.ask(method, path, body, headers={"Content-Type": "application/json"} if body else None, timeout=120)
        except TimeoutError:
            siege.check(False, f"{method} {path[:80]} is not answered: {body[:200] if body else ''}")
            continue
        except OSError as error:
            siege.check(False, f"{method} {path[:80]}: {error} after {body[:200] if body else ''}")
            continue
        siege.tried[f"requests answered with {answer.status}"] += 1
        # Firecrawl's clients expect 500 where the site is at fault, with a code that says so.
        is_of_site = answer.status == 500 and b'"code":"SCRAPE_' in answer.body
        siege.check(is_of_site or answer.status not in (500, 502),
                    f"{method} {path[:80]} is answered with {answer.status}: {answer.body[:200]} to {body[:200] if body else ''}")
        if answer.status >= 400:
            try:
                answer.body.decode("utf-8")
                is_json = isinstance(answer.json(), dict)
            except ValueError:
                is_json = False
            siege.check(is_json, f"{method} {path[:80]}: the error {answer.status} is not JSON: {answer.body[:80]}")
        siege.check(server.is_alive(), f"the server ended at {method} {path[:80]} {body[:200] if body else ''}")
    siege.check(server.is_healthy(), "the server is not healthy afterwards")
