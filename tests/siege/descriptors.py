#!/usr/bin/env python3
"""A server with few file descriptors, under connections and a crawl: it may refuse, but has to answer again as soon as they are gone."""
import contextlib
import socket
import time

from siege import Server, Siege, Site, page

with Siege(__doc__) as siege:
    site = siege.keep(Site(lambda path: page(path, [f"/{number}" for number in range(60)])))
    for _ in siege.rounds():
        few = siege.dice.choice([96, 128, 160, 256])
        server = Server(siege, name=f"data-{few}-{_}", descriptors=few, environment={"QUARRY_FETCH_ALLOWED_NETWORKS": "127.0.0.0/8"})
        asked = server.ask("POST", "/v2/crawl", {"url": site.url(), "limit": 60})
        siege.check(asked.status == 200, f"with {few} descriptors a crawl is answered with {asked.status}")
        peers = []
        for number in range(2 * few):
            with contextlib.suppress(OSError):
                peers.append(server.connect(timeout=1))
        siege.tried["connections that do nothing"] += len(peers)
        time.sleep(0.3)
        for peer in peers:
            peer.close()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not server.is_healthy(timeout=2):
            time.sleep(0.1)
        siege.check(server.is_healthy(), f"with {few} descriptors the server does not answer any more: {server.said()[-300:]}")
        siege.tried["servers that answer again"] += 1
        server.stop()
