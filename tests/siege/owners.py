#!/usr/bin/env python3
"""One owner at its worst beside another who scrapes and searches.

The worst: crawls with long delays of the host that the other needs, hosts that drop or keep silent, maps of them, answers that are
never read, many connections. The other's requests have to succeed; what they take is reported beside what they take undisturbed.
"""
import contextlib
import json
import socket
import threading
import time

from siege import MEGABYTE, Server, Siege, Site, page, percentile


def request(path, key, body=None):
    text = json.dumps(body).encode() if body is not None else b""
    return (f"{'POST' if body is not None else 'GET'} {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n").encode() + text


with Siege(__doc__, short_seconds=6) as siege:
    site = siege.keep(Site(lambda path: page(f"Page {path}", [f"/{number}" for number in range(40)], "kiwi " * 20)))
    dropping = siege.keep(Site(lambda path: None))
    silent = socket.create_server(("127.0.0.1", 0), backlog=512)
    silent_url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
    server = Server(siege, environment={"QUARRY_FETCH_ALLOWED_NETWORKS": "127.0.0.0/8"})
    good, bad = server.make_key("good"), server.make_key("bad")
    idle = server.resident_bytes()
    times = {"scrape": [], "search": []}

    def use(count, kept):
        for number in range(count):
            for what, path, body in (("scrape", "/v2/scrape", {"url": site.url(f"/{number % 40}"), "maxAge": 0}),
                                     ("search", "/api/v1/search", {"query": "kiwi"})):
                begin = time.monotonic()
                try:
                    answer = server.ask("POST", path, body, key=good, timeout=60)
                    siege.check(answer.status == 200, f"the other's {what} is answered with {answer.status}: {answer.body[:200]}")
                except OSError as error:
                    siege.check(False, f"the other's {what} is not answered: {error}")
                kept[what].append(time.monotonic() - begin)
                siege.tried[f"the other's {what}"] += 1

    # A search is of a collection that is there.
    document = {"url": "http://good.example/", "markdown": "kiwi " * 20}
    server.ask("POST", "/api/v1/documents", {"pages": [document]}, key=good)
    undisturbed = {"scrape": [], "search": []}
    use(15, undisturbed)
    # Documents of the bad one, to ask for again and again.
    documents = [{"url": f"http://bad.example/{number}", "markdown": "words " * 20_000} for number in range(40)]
    server.ask("POST", "/api/v1/documents", {"collection": "big", "pages": documents}, key=bad)

    def slow_crawl():
        server.ask("POST", "/v2/crawl", {"url": site.url("/"), "limit": 40, "delay": 3600}, key=bad)

    def dropped_crawl():
        server.ask("POST", "/v2/batch/scrape", {"urls": [dropping.url(f"/{number}") for number in range(20)] + [site.url("/x")]}, key=bad)

    def silent_map():
        with contextlib.suppress(OSError), server.connect() as peer:  # and goes away without waiting
            peer.sendall(request("/v2/map", bad, {"url": silent_url}))
            time.sleep(0.2)

    def silent_scrape():
        with contextlib.suppress(OSError), server.connect() as peer:
            peer.sendall(request("/v2/scrape", bad, {"url": silent_url + str(siege.dice.random()), "timeout": 60_000}))
            time.sleep(0.2)

    unread = []

    def unread_answers():
        with contextlib.suppress(OSError):
            peer = server.connect()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            for _ in range(10):
                peer.sendall(request("/api/v1/documents?collection=big&content=true&limit=100", bad))
            unread.append(peer)

    def idle_connections():
        for _ in range(100):
            with contextlib.suppress(OSError):
                unread.append(server.connect())

    attacks = [slow_crawl, dropped_crawl, silent_map, silent_scrape, unread_answers, idle_connections]
    over = threading.Event()

    def attack():
        while not over.is_set():
            what = siege.dice.choice(attacks)
            with contextlib.suppress(OSError):
                what()
            siege.tried[what.__name__.replace("_", " ")] += 1
            while len(unread) > 400:
                unread.pop(0).close()
            time.sleep(0.02)

    attackers = [threading.Thread(target=attack) for _ in range(12)]
    for thread in attackers:
        thread.start()
    worst = 0
    for _ in siege.rounds():
        use(4, times)
        worst = max(worst, server.resident_bytes() - idle)
    over.set()
    for thread in attackers:
        thread.join()
    for what in times:
        siege.note(f"{what} p99: {percentile(times[what], .99) * 1000:.0f} ms, undisturbed {percentile(undisturbed[what], .99) * 1000:.0f} ms")
        siege.check(percentile(times[what], .99) < 20, f"the other's {what} is starved")
    siege.note(f"memory above idle: {worst // MEGABYTE} MB")
    siege.check(worst < 600 * MEGABYTE, f"{worst // MEGABYTE} MB more than idle")
    siege.check(server.is_alive(), "the server ended")
