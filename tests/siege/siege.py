"""What all sieges share: a quarry of their own to attack, a clock, dice, and a report of what was tried and what held.

A siege attacks on loopback only. It runs for a few seconds, or as long as asked: --minutes 30.
"""
import argparse
import collections
import contextlib
import http.client
import http.server
import json
import os
import random
import resource
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

MEGABYTE = 1 << 20


class Siege:
    """One run of attacks. `with Siege(__doc__) as siege:`; leaving it prints the report and sets the exit code."""

    def __init__(self, description, short_seconds=4):
        options = argparse.ArgumentParser(description=description)
        options.add_argument("--program", default=os.environ.get("QUARRY", "build/release/quarry"), help="the quarry to attack")
        options.add_argument("--minutes", type=float, help="how long (default: a few seconds; 2 if QUARRY_LONG is set)")
        options.add_argument("--seed", type=int, default=None, help="repeat the dice of an earlier run")
        self.arguments = options.parse_args()
        self.program = os.path.abspath(self.arguments.program)
        minutes = self.arguments.minutes
        if minutes is None:
            minutes = 2 if os.environ.get("QUARRY_LONG") else short_seconds / 60
        self.seed = self.arguments.seed if self.arguments.seed is not None else random.randrange(1 << 32)
        self.dice = random.Random(self.seed)
        self.tried = collections.Counter()
        self.facts = []
        self.broken = []
        self.folder = tempfile.mkdtemp(prefix="quarry-siege-")
        self.resources = contextlib.ExitStack()
        self.end = time.monotonic() + minutes * 60
        # Attackers need descriptors of their own; the server's are its own to limit.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is Skipped:
            self.resources.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            print(f"SKIPPED: {error}")
            sys.exit(0)
        self.resources.close()
        for what, count in sorted(self.tried.items()):
            print(f"tried {count:8,}  {what}")
        for fact in self.facts:
            print(f"      {fact}")
        if kind is not None:
            print(f"BROKEN: the siege itself (--seed {self.seed})")
            return False
        if not self.tried:
            self.broken.append("nothing was tried")
        for sentence in self.broken[:20]:
            print(f"BROKEN: {sentence}")
        if self.broken:
            print(f"Again with the same dice: --seed {self.seed}. Its files: {self.folder}")
            sys.exit(1)
        shutil.rmtree(self.folder, ignore_errors=True)
        print("All of it held.")
        return False

    def rounds(self):
        """Counts rounds until the time is over; there is always a first one."""
        number = 0
        while number == 0 or time.monotonic() < self.end:
            if self.broken:
                return
            yield number
            number += 1

    def check(self, holds, sentence):
        if not holds:
            self.broken.append(sentence)
        return holds

    def note(self, fact):
        self.facts.append(fact)

    def path(self, name):
        return os.path.join(self.folder, name)

    def keep(self, thing):
        """Has `thing.stop()` called at the end."""
        self.resources.callback(thing.stop)
        return thing

    def run(self, *words, data=None, environment=None, timeout=120):
        """Runs a command of the program."""
        command = [self.program, *words]
        if data:
            command += ["--data", data]
        return subprocess.run(command, capture_output=True, env=clean_environment(self.folder, environment), timeout=timeout)


class Skipped(Exception):
    """What the siege needs is not here."""


def need(holds, what):
    if not holds:
        raise Skipped(what)


def clean_environment(home, more=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("QUARRY_", "XDG_", "FIRECRAWL_"))}
    return {**kept, "HOME": home, **(more or {})}


def free_port():
    """Below the range that the kernel gives to outgoing connections, so that nobody takes it before we listen."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Server:
    """`quarry serve` on a free loopback port."""

    def __init__(self, siege, name="data", environment=None, descriptors=None, arguments=()):
        self.siege = siege
        self.data = name if os.path.isabs(name) else siege.path(name)
        self.environment = environment or {}
        self.descriptors = descriptors
        self.arguments = list(arguments)
        self.port = free_port()
        self.log = siege.path(f"serve-{self.port}.log")
        self.process = None
        self.start()
        siege.keep(self)

    def start(self):
        def limit():
            if self.descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.siege.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--quiet", "--data", self.data, *self.arguments],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=limit,
                env=clean_environment(self.siege.folder, self.environment))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.is_healthy():
                return
            time.sleep(0.02)
        raise RuntimeError("quarry serve does not answer: " + self.said()[-2_000:])

    def is_alive(self):
        return self.process.poll() is None

    def is_healthy(self, timeout=10):
        try:
            return self.ask("GET", "/healthz", timeout=timeout).status == 200
        except (OSError, http.client.HTTPException):
            return False

    def ask(self, method, path, body=None, key=None, timeout=60, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            sent = dict(headers or {})
            if key:
                sent["Authorization"] = "Bearer " + key
            if body is not None and not isinstance(body, (bytes, str)):
                body = json.dumps(body)
                sent.setdefault("Content-Type", "application/json")
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read())
        finally:
            connection.close()

    def connect(self, timeout=10):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def make_key(self, owner):
        made = self.siege.run("keys", "create", "--owner", owner, "--json", data=self.data)
        return json.loads(made.stdout)["data"]["key"]

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def said(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
                self.siege.broken.append("serve did not end within a minute of SIGTERM")


class Answer:
    def __init__(self, status, body):
        self.status = status
        self.body = body

    def json(self):
        return json.loads(self.body)


class Canary:
    """Listens where nobody may come, and counts who does."""

    def __init__(self, address="127.0.0.1"):
        self.listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        self.listener.bind((address, 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        self.visits = []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            try:
                visitor, _ = self.listener.accept()
            except OSError:
                return
            with visitor:
                visitor.settimeout(1)
                try:
                    self.visits.append(visitor.recv(2_000))
                except OSError:
                    self.visits.append(b"")

    def stop(self):
        self.listener.close()


class Site:
    """A web site on loopback. `answer(path)` gives (status, headers, body), or None to drop the connection."""

    def __init__(self, answer, address="127.0.0.1"):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                site.requests[self.path] += 1
                reply = answer(self.path)
                if reply is None:
                    self.close_connection = True
                    return
                status, headers, body = reply
                body = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_HEAD = do_GET

            def log_message(self, *_):
                pass

            def handle(self):
                with contextlib.suppress(OSError):
                    super().handle()

        class Listener(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.requests = collections.Counter()
        self.server = Listener((address, 0), Handler)
        self.address = address
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path="/"):
        return f"http://{self.address}:{self.port}{path}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def page(title, links=(), words="Some words that are worth reading, and a few more of them. "):
    rows = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (200, {"Content-Type": "text/html"},
            f"<!doctype html><title>{title}</title><main><h1>{title}</h1><p>{words * 8}</p></main><ul>{rows}</ul>")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0
