#!/usr/bin/env python3
"""Bytes that are no requests, or endless ones, from clients without a key.

Each attack comes over many connections at once. Meanwhile a client with a key has to be answered, and the server's memory may grow
by 200 MB at most.
"""
import contextlib
import socket
import threading
import time

from siege import MEGABYTE, Siege, Server, percentile

HEAD = b"POST /v2/scrape HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BLOCK = b"a" * 65_536

# What is sent first, what is sent again and again, the pause between, and how much of it at most.
ENDLESS = {
    "a chunk extension without an end": (CHUNKED + b"2;", BLOCK, 0, 64 * MEGABYTE),
    "trailers without an end": (CHUNKED + b"0\r\n", b"X-Trailer: " + b"a" * 60 + b"\r\n", 0, 64 * MEGABYTE),
    "one long trailer": (CHUNKED + b"0\r\nX: ", BLOCK, 0, 64 * MEGABYTE),
    "chunks of one byte": (CHUNKED, b"1\r\na\r\n" * 5_000, 0, 64 * MEGABYTE),
    "chunks of 64 KB": (CHUNKED, b"10000\r\n" + BLOCK + b"\r\n", 0, 80 * MEGABYTE),
    "a body as long as it says": (HEAD + b"Content-Length: 67108864\r\n\r\n", BLOCK, 0, 64 * MEGABYTE),
    "a body that never comes": (HEAD + b"Content-Length: 67108864\r\n\r\n", b"", 0.2, 1),
    "a slow body": (HEAD + b"Content-Length: 67108864\r\n\r\n", b"a", 0.05, 1_000),
    "slow headers": (b"GET /healthz HTTP/1.1\r\n", b"X-A: b\r\n", 0.05, 1_000),
    "a request line without an end": (b"GET /", BLOCK, 0, 8 * MEGABYTE),
    "headers without an end": (b"GET / HTTP/1.1\r\n", b"X-Header: " + b"a" * 200 + b"\r\n", 0, 8 * MEGABYTE),
    "requests without waiting for answers": (b"", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 200, 0, 8 * MEGABYTE),
    "a WebSocket and noise": (b"GET /v2/crawl/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                              b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", BLOCK, 0, 8 * MEGABYTE),
}

# Which of them two readers could understand differently: each is refused, and its connection closed.
AMBIGUOUS = {
    "chunked that is not the last coding": b"Transfer-Encoding: chunked, identity\r\n",
    "identity as a coding": b"Transfer-Encoding: identity\r\n",
    "a coding that is nearly chunked": b"Transfer-Encoding: xchunked\r\n",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n",
    "a length and chunks": b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    "two hosts": b"Host: other.example\r\nContent-Length: 2\r\n",
    "a folded line": b"X-A: b\r\n c\r\nContent-Length: 2\r\n",
    "a space before the colon": b"Content-Length : 2\r\n",
    "a bare line feed": b"X-A: b\nContent-Length: 2\r\n",
}


def pour(server, attack, until):
    """One connection of an attack. It ends when the server closes it, when all is sent, or when the time is over."""
    first, again, pause, most = attack
    with contextlib.suppress(OSError), server.connect() as peer:
        peer.settimeout(2)
        peer.sendall(first)
        sent = 0
        while sent < most and time.monotonic() < until:
            if again:
                peer.sendall(again)
                sent += len(again)
            if pause:
                time.sleep(pause)


def is_refused(server, line):
    with server.connect() as peer:
        peer.sendall(HEAD + line + b"\r\n2\r\n{}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        peer.settimeout(10)
        answer = b""
        with contextlib.suppress(ConnectionError):
            while part := peer.recv(65_536):
                answer += part
    return answer.startswith(b"HTTP/1.1 400") and answer.count(b"HTTP/1.1 ") == 1


with Siege(__doc__) as siege:
    server = Server(siege)
    key = server.make_key("good")
    idle = server.resident_bytes()
    times = []
    worst = 0
    done = threading.Event()

    def watch():
        global worst
        while not done.is_set():
            worst = max(worst, server.resident_bytes() - idle)
            begin = time.monotonic()
            try:
                status = server.ask("GET", "/v2/team/queue-status", key=key, timeout=20).status
                siege.check(status == 200, f"a good client got {status}")
            except OSError as error:
                siege.check(server.is_alive() and done.is_set(), f"a good client was not answered: {error}")
            times.append(time.monotonic() - begin)
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for _ in siege.rounds():
            what = siege.dice.choice(sorted(ENDLESS))
            many = siege.dice.choice([20, 100, 300])
            until = time.monotonic() + 1.5
            peers = [threading.Thread(target=pour, args=(server, ENDLESS[what], until)) for _ in range(many)]
            for peer in peers:
                peer.start()
            for peer in peers:
                peer.join()
            siege.tried[what] += many
            for name, line in AMBIGUOUS.items():
                siege.tried[name] += 1
                siege.check(is_refused(server, line), f"{name} is not refused")
            if not siege.check(server.is_alive(), f"the server ended at: {what}"):
                break
    finally:
        done.set()
        watcher.join()
    siege.check(worst <= 200 * MEGABYTE, f"{worst // MEGABYTE} MB more than idle")
    siege.note(f"memory above idle: {worst // MEGABYTE} MB; a good client was answered in {percentile(times, .5) * 1000:.0f} ms "
               f"(p50), {max(times, default=0) * 1000:.0f} ms (slowest of {len(times)})")
