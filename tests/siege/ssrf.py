#!/usr/bin/env python3
"""Every field that takes a URL, with addresses that nobody may reach, in every spelling; and a site that may be reached and leads there.

Canaries listen on loopback, over IPv4 and IPv6. Not one connection may come.
"""
import os
import socket
import time

from siege import Canary, Server, Siege, Site

SUITE = os.path.join(os.path.dirname(__file__), "../../../shared/suites/ssrf/payload_urls.txt")


def spellings(port):
    hosts = ["127.0.0.1", "localhost", "LOCALHOST.", "127.1", "0", "0.0.0.0", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "127.0.1.3",
             "0177.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
             "127.0.0.1.", "①②⑦.⓪.⓪.①", "127。0。0。1", "user@127.0.0.1", "a.example@127.0.0.1", "%31%32%37.0.0.1", "[fe80::1]", "localhost.localdomain"]
    for host in hosts:
        yield f"http://{host}:{port}/secret"
    yield f"http://127.0.0.1:{port}\\@a.example/"
    yield f"http://a.example:80#@127.0.0.1:{port}/"
    yield f"http:127.0.0.1:{port}/"
    yield f"http:///127.0.0.1:{port}/"
    yield f"//127.0.0.1:{port}/"
    yield f"HtTp://127.0.0.1:{port}/"
    yield f"gopher://127.0.0.1:{port}/_x"
    yield f"ftp://127.0.0.1:{port}/"
    yield f" http://127.0.0.1:{port}/ "


def uses(url):
    yield "POST", "/v2/scrape", {"url": url}
    yield "POST", "/v1/scrape", {"url": url}
    yield "POST", "/v2/crawl", {"url": url, "limit": 3}
    yield "POST", "/v1/crawl", {"url": url, "limit": 3}
    yield "POST", "/v2/batch/scrape", {"urls": [url]}
    yield "POST", "/v2/map", {"url": url}
    yield "POST", "/v2/extract", {"urls": [url], "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    yield "POST", "/v2/crawl", {"url": "http://203.0.113.1/", "limit": 1, "webhook": {"url": url}}
    yield "POST", "/v2/batch/scrape", {"urls": ["http://203.0.113.1/"], "webhook": url}
    yield "POST", "/v2/scrape", {"url": url, "formats": ["screenshot"]}
    yield "POST", "/api/v1/crawls", {"urls": [url], "limit": 2}
    yield "POST", "/api/v1/change-events", {"url": url}
    yield "PUT", "/api/v1/schedules/s", {"cron": "* * * * *", "options": {"urls": [url]}}
    yield "POST", "/knowledge-items/crawl", {"url": url}


with Siege(__doc__, short_seconds=5) as siege:
    canaries = [siege.keep(Canary()), siege.keep(Canary("::1"))]
    forbidden = [f"http://127.0.0.1:{canaries[0].port}/", f"http://[::1]:{canaries[1].port}/", f"http://localhost:{canaries[0].port}/"]

    def leads_there(path):
        kind, _, number = path.lstrip("/").partition("/")
        target = forbidden[int(number or 0) % len(forbidden)]
        if kind == "robots.txt":
            return 200, {"Content-Type": "text/plain"}, f"User-agent: *\nAllow: /\nSitemap: {target}sitemap.xml\n"
        if kind == "sitemap.xml":
            return 200, {"Content-Type": "application/xml"}, f"<urlset><url><loc>{target}</loc></url></urlset>"
        if kind in ("301", "302", "303", "307", "308"):
            return int(kind), {"Location": target}, ""
        if kind == "refresh":
            return 200, {"Content-Type": "text/html"}, f'<meta http-equiv=refresh content="0; url={target}"><h1>moved</h1>'
        if kind == "script":
            return 200, {"Content-Type": "text/html"}, (
                f"<h1>words</h1><iframe src='{target}'></iframe><img src='{target}'><link rel=stylesheet href='{target}'>"
                f"<script>fetch('{target}', {{mode: 'no-cors'}}); new WebSocket('{target}'.replace('http', 'ws')); navigator.sendBeacon('{target}', 'x');"
                f"open('{target}'); new EventSource('{target}'); location = '{target}'</script>")
        links = "".join(f'<a href="{target}">x</a><a href="/{name}/{number}">y</a>' for name in ("302", "refresh", "script"))
        return 200, {"Content-Type": "text/html"}, f'<link rel=canonical href="{target}"><h1>A page</h1><p>{"words " * 50}</p>{links}'

    site = siege.keep(Site(leads_there, "127.0.0.2"))
    # The site alone may be reached; schedules are looked at as soon as they are due.
    server = Server(siege, environment={"QUARRY_FETCH_ALLOWED_NETWORKS": "127.0.0.2/32", "QUARRY_FETCH_TIMEOUT": "2s"})
    urls = list(spellings(canaries[0].port)) + [f"http://[::1]:{canaries[1].port}/"]
    if os.path.exists(SUITE):
        with open(SUITE) as file:
            urls += [line.strip() for line in file if line.strip() and "tcpipguide" not in line]
    for number in siege.rounds():
        if number % 2 == 0:
            url = urls[number // 2 % len(urls)]
        else:
            kind = siege.dice.choice(["301", "302", "303", "307", "308", "refresh", "script", ""])
            url = site.url(f"/{kind}/{siege.dice.randrange(3)}")
        every = list(uses(url))
        for method, path, body in every if siege.arguments.minutes else siege.dice.sample(every, 4):
            try:
                server.ask(method, path, body, timeout=60)
                siege.tried[f"{method} {path}"] += 1
            except (OSError, socket.timeout) as error:
                siege.check(server.is_alive(), f"the server ended at {path} {url}: {error}")
        if number % 10 == 9:
            siege.tried["a site that leads there, crawled"] += 1
            server.ask("POST", "/v2/crawl", {"url": site.url(f"/x/{number}"), "limit": 12, "sitemap": "include"})
    time.sleep(2)  # for what is still on its way
    visits = [visit for canary in canaries for visit in canary.visits]
    siege.check(not visits, f"{len(visits)} connections came: {visits[:2]}")
    siege.note(f"connections to the canaries: {len(visits)}; requests to the site: {sum(site.requests.values())}")
