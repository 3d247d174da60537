#!/usr/bin/env python3
"""kill -9, again and again, of `quarry serve` and of the database it works on: what was acknowledged is there, and there once.

Clients write documents and begin crawls meanwhile. The stores are the embedded one, PostgreSQL and Redis, as far as they are installed.
"""
import glob
import http.client
import os
import pwd
import shutil
import subprocess
import threading
import time

from siege import Server, Siege, Site, free_port, page


class Database:
    """A server of somebody else's that can be killed and started again on the same data."""

    def __init__(self, siege):
        self.port = free_port()
        self.folder = siege.path(f"database-{self.port}")
        self.process = None
        self.siege = siege

    def start(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            # One that finds processes of the killed one still there ends again.
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.user())
            if self.is_ready():
                return
            time.sleep(0.05)
        raise RuntimeError(f"{self.command()[0]} does not start")

    def user(self):
        return {}

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.kill()


class Postgres(Database):
    def __init__(self, siege):
        super().__init__(siege)
        self.binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        if os.geteuid() == 0:
            os.chmod(siege.folder, 0o755)
        os.makedirs(self.folder, mode=0o700)
        if self.user():
            shutil.chown(self.folder, self.user()["user"])
        subprocess.run([f"{self.binaries}/initdb", "-D", self.folder, "-A", "trust", "-U", "quarry"], check=True, capture_output=True, **self.user())
        self.url = f"postgres://quarry@127.0.0.1:{self.port}/postgres"
        self.start()

    def user(self):
        try:
            return {"user": pwd.getpwnam("postgres").pw_uid} if os.geteuid() == 0 else {}
        except KeyError:
            return {}

    def command(self):
        return [f"{self.binaries}/postgres", "-D", self.folder, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1", "-k", "/tmp"]

    def is_ready(self):
        return subprocess.run([f"{self.binaries}/pg_isready", "-h", "127.0.0.1", "-p", str(self.port)], capture_output=True).returncode == 0

    def kill(self):
        # The children end when they see that the postmaster is gone; a new one starts only then.
        super().kill()
        pid_file = os.path.join(self.folder, "postmaster.pid")
        if os.path.exists(pid_file):
            os.unlink(pid_file)
        time.sleep(0.3)


class Redis(Database):
    def __init__(self, siege):
        super().__init__(siege)
        os.makedirs(self.folder)
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def command(self):
        return ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--appendonly", "yes", "--appendfsync", "always", "--save", ""]

    def is_ready(self):
        answer = subprocess.run(["redis-cli", "-p", str(self.port), "ping"], capture_output=True).stdout
        return answer.strip() == b"PONG"


class Writer(threading.Thread):
    """Writes documents and begins crawls, and remembers what it was told had been taken."""

    def __init__(self, server, site, number):
        super().__init__(daemon=True)
        self.server, self.site, self.number = server, site, number
        self.documents, self.crawls = [], []
        self.over = threading.Event()

    def is_behind(self):
        """Whether crawls are begun faster than they end: then only documents are written."""
        if len(self.crawls) < 20:
            return False
        return self.server.ask("GET", f"/v2/crawl/{self.crawls[-20]}?limit=1", timeout=20).json().get("status") != "completed"

    def run(self):
        count = 0
        while not self.over.is_set():
            count += 1
            url = f"http://documents.example/{self.number}/{count}"
            try:
                if count % 5 or self.is_behind():
                    body = {"collection": "kept", "pages": [{"url": url, "markdown": f"# {count}\n\nWords of {url}"}]}
                    if self.server.ask("POST", "/api/v1/documents", body, timeout=20).status in (200, 201):
                        self.documents.append(url)
                else:
                    answer = self.server.ask("POST", "/v2/crawl", {"url": self.site.url(f"/{self.number}/{count}"), "limit": 1}, timeout=20)
                    if answer.status == 200:
                        self.crawls.append(answer.json()["id"])
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.05)


def documents_of(server):
    urls, after = [], ""
    while True:
        answer = server.ask("GET", f"/api/v1/documents?collection=kept&limit=1000{after}").json()
        urls += [document["url"] for document in answer["documents"]]
        if not answer["documents"] or not answer.get("next"):
            return urls
        after = f"&after={answer['next']}"


def besiege(siege, store, database, seconds):
    # The dead are given up after seconds instead of a minute.
    environment = {"QUARRY_FETCH_ALLOWED_NETWORKS": "127.0.0.0/8", "QUARRY_WORKER_LEASE": "5s", "QUARRY_WORKER_HEARTBEAT": "1s"}
    if database:
        environment["QUARRY_STORE"] = database.url
    site = siege.keep(Site(lambda path: page(f"Page {path}")))
    server = Server(siege, name=f"data-{store}", environment=environment)
    writers = [Writer(server, site, number) for number in range(4)]
    for writer in writers:
        writer.start()
    kills = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end or kills < 2:
        time.sleep(siege.dice.random() * 0.7)
        victim = database if database and kills % 2 else server
        victim.kill()
        siege.tried[f"kill -9 of {type(victim).__name__ if victim is database else 'serve'} ({store})"] += 1
        kills += 1
        victim.start()
    for writer in writers:
        writer.over.set()
    for writer in writers:
        writer.join(30)
    siege.check(server.is_alive(), f"{store}: serve ended by itself: {server.said()[-300:]}")
    crawls = [crawl for writer in writers for crawl in writer.crawls]
    documents = [url for writer in writers for url in writer.documents]
    deadline = time.monotonic() + 120
    for crawl in crawls:
        state = {}
        while time.monotonic() < deadline:
            answer = server.ask("GET", f"/v2/crawl/{crawl}")
            state = answer.json() if answer.status == 200 else {"status": answer.status}
            if state["status"] == "completed":
                break
            time.sleep(0.05)
        siege.check(state.get("status") == "completed" and state.get("completed") == 1, f"{store}: an acknowledged crawl is {state}"[:300])
    found = documents_of(server)
    lost, twice = set(documents) - set(found), len(found) - len(set(found))
    siege.check(not lost, f"{store}: {len(lost)} acknowledged documents are lost, such as {sorted(lost)[:2]}")
    siege.check(not twice, f"{store}: {twice} documents are there twice")
    siege.note(f"{store}: {kills} kills; {len(documents)} documents and {len(crawls)} crawls acknowledged, {len(lost)} lost, {twice} twice")
    server.stop()


with Siege(__doc__, short_seconds=6) as siege:
    stores = [("embedded", None)]
    if glob.glob("/usr/lib/postgresql/*/bin/postgres"):
        stores.append(("postgres", Postgres))
    if shutil.which("redis-server"):
        stores.append(("redis", Redis))
    seconds = max(0.0, siege.end - time.monotonic()) / len(stores)
    for store, kind in stores:
        besiege(siege, store, siege.keep(kind(siege)) if kind else None, seconds)
    if len(stores) < 3:
        print("SKIPPED: PostgreSQL or Redis is not installed")
