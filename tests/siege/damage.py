#!/usr/bin/env python3
"""Random damage to index.db and quarry.db of a data folder.

With a damaged index the server starts, answers and heals; a damaged database is told in a sentence that names backup and export, or is
read as far as it can be. Nothing ends by a signal.
"""
import os
import shutil
import time

from siege import Server, Siege, Site, page


def hurt(dice, path):
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        for _ in range(dice.choice([1, 1, 3, 20])):
            kind = dice.randrange(3)
            length = dice.choice([1, 8, 64, 4096, 16384])
            at = dice.randrange(max(1, size - length))
            file.seek(at)
            if kind == 0:
                file.write(dice.randbytes(length))
            elif kind == 1:
                file.write(b"\0" * length)
            else:
                file.truncate(at + 1)
                size = at + 1


with Siege(__doc__, short_seconds=5) as siege:
    site = siege.keep(Site(lambda path: page(f"Page {path}", [f"/{number}" for number in range(25)], f"The word kiwi{path.strip('/')} is here. ")))
    whole = siege.path("whole")
    made = siege.run("crawl", site.url(), "--allow-private", "--wait", "--limit", "25", data=whole)
    siege.check(made.returncode == 0, f"the crawl to be damaged failed: {made.stderr[-300:]}")
    for number in siege.rounds():
        data = siege.path(f"copy-{number}")
        shutil.copytree(whole, data, ignore=shutil.ignore_patterns("*.sock", "lock"))
        name = siege.dice.choice(["index.db", "quarry.db"])
        for rest in (name + "-wal", name + "-shm"):
            if os.path.exists(os.path.join(data, rest)):
                os.unlink(os.path.join(data, rest))
        hurt(siege.dice, os.path.join(data, name))
        siege.tried[f"damage to {name}"] += 1
        doctor = siege.run("doctor", data=data)
        siege.check(doctor.returncode >= 0, f"doctor ended by signal {-doctor.returncode}")
        if name == "index.db":
            try:
                server = Server(siege, name=data)
            except RuntimeError as error:
                siege.check(False, f"with a damaged index: {error}")
                continue
            deadline = time.monotonic() + 60
            found = 0
            while time.monotonic() < deadline and not found:
                answer = server.ask("POST", "/api/v1/search", {"query": "kiwi7", "limit": 3})
                siege.check(answer.status in (200, 503), f"a search is answered with {answer.status}: {answer.body[:200]}")
                found = len(answer.json().get("hits", [])) if answer.status == 200 else 0
                if not found:
                    time.sleep(0.2)
            siege.check(found, f"the index was not healed: {server.said()[-300:]}")
            server.stop()
        else:
            for command in (["status", "--list"], ["search", "kiwi7"], ["export", "pages"]):
                ran = siege.run(*command, data=data)
                siege.check(ran.returncode >= 0, f"{command[0]} ended by signal {-ran.returncode}")
                said = ran.stderr.decode(errors="replace")
                siege.check(ran.returncode in (0, 1) or ("backup" in said and "export" in said),
                            f"{command[0]} does not name the way out: {said[-300:]}")
        shutil.rmtree(data, ignore_errors=True)
