#!/usr/bin/env python3
"""A data folder on a small disk that is filled under a crawl: reads go on, writes say why not, and work resumes when there is room."""
import contextlib
import os
import subprocess
import time

from siege import MEGABYTE, Server, Siege, Site, need, page


class SmallDisk:
    def __init__(self, siege, megabytes):
        self.path = siege.path("disk")
        os.makedirs(self.path, exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.path], capture_output=True)
        need(mounted.returncode == 0, "a small disk (takes root)")
        siege.keep(self)

    def fill(self, leave=0):
        room = os.statvfs(self.path)
        block = b"x" * 65_536
        with open(os.path.join(self.path, "ballast"), "ab", buffering=0) as file, contextlib.suppress(OSError):
            for _ in range((room.f_bavail * room.f_bsize - leave) // len(block) + (leave == 0)):
                file.write(block)

    def free(self):
        os.unlink(os.path.join(self.path, "ballast"))

    def stop(self):
        subprocess.run(["umount", "-l", self.path], capture_output=True)


def counts(server, crawl):
    with contextlib.suppress(OSError):  # between the server that only reads and the one that works
        return server.ask("GET", f"/v2/crawl/{crawl}").json()
    return {"status": "not answered", "completed": 0}


with Siege(__doc__, short_seconds=5) as siege:
    words = "Some words that are worth reading, and a few more of them. " * 40
    site = siege.keep(Site(lambda path: page(path, [f"/{number}" for number in range(150)], words + path)))
    disk = SmallDisk(siege, 160)
    for number in siege.rounds():
        server = Server(siege, name=os.path.join(disk.path, f"data-{number}"),
                        environment={"QUARRY_FETCH_ALLOWED_NETWORKS": "127.0.0.0/8", "QUARRY_STORE_LOW_DISK": "20MB"})
        crawl = server.ask("POST", "/v2/crawl", {"url": site.url(), "limit": 150, "delay": 0.02}).json()["id"]
        time.sleep(siege.dice.random())
        leave = siege.dice.choice([0, 2, 10]) * MEGABYTE
        disk.fill(leave)
        siege.tried[f"{leave // MEGABYTE} MB left under a crawl"] += 1
        for _ in range(10):
            time.sleep(0.1)
            if not siege.check(server.is_alive(), f"the server ended on a full disk: {server.said()[-400:]}"):
                break
            status = server.ask("GET", f"/v2/crawl/{crawl}").status
            siege.check(status == 200, f"reading on a full disk is answered with {status}")
        if siege.broken:
            break
        written = server.ask("POST", "/v2/crawl", {"url": site.url(), "limit": 1}).status
        siege.check(written in (200, 503, 507), f"writing on a full disk is answered with {written}")
        doctor = siege.run("doctor", data=server.data, environment={"QUARRY_STORE_LOW_DISK": "20MB"})
        siege.check(b"All is well" not in doctor.stdout + doctor.stderr, "doctor finds nothing on a full disk")
        is_stopped = siege.dice.random() < 0.5
        if is_stopped:  # where nothing at all can be written what is stored is served all the same
            server.stop()
            siege.tried["starts on a full disk"] += 1
            server.start()
            status = server.ask("GET", f"/v2/crawl/{crawl}").status
            siege.check(status == 200, f"reading after a start on a full disk is answered with {status}")
            for command in (["status", "--list"], ["export", "pages"]):
                ran = siege.run(*command, data=server.data)
                siege.check(ran.returncode in (0, 1), f"{command[0]} on a full disk fails: {ran.stderr[-300:]}")
        disk.free()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and counts(server, crawl)["status"] != "completed":
            time.sleep(0.1)
        state = counts(server, crawl)
        siege.check(state["status"] == "completed" and state["completed"] == 150,
                    f"with room again the crawl is {state['status']} with {state['completed']} pages: {server.said()[-400:]}")
        server.stop()
        subprocess.run(["rm", "-rf", server.data])
