#!/usr/bin/env python3
"""What the designs that quarry follows ask for in figures: how soon a crawl in the background returns, what the queue costs a job, and
whether memory grows with what is stored.

usage: bench/targets.py [start] [queue] [memory]      (all of them without arguments; QUARRY names the program)
"""
import http.server, json, os, pathlib, random, shutil, statistics, subprocess, sys, tempfile, threading, time

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUARRY = os.environ.get("QUARRY", str(ROOT / "build/release/quarry"))
SITEMAP_URLS = 50_000  # the most that one may have


class Site(http.server.ThreadingHTTPServer):
    """Pages that take 50 ms, and a sitemap of so many URLs."""

    def __init__(self, listed=0):
        super().__init__(("127.0.0.1", 0), Pages)
        self.listed, self.url = listed, f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):  # a crawl that is killed leaves its connections
        pass


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        site, kind = self.server, "text/html"
        if self.path == "/sitemap.xml" and site.listed:
            parts = -(-site.listed // SITEMAP_URLS)
            body, kind = "<sitemapindex>" + "".join(f"<sitemap><loc>{site.url}map-{n}.xml</loc></sitemap>" for n in range(parts)) + "</sitemapindex>", "text/xml"
        elif self.path.startswith("/map-"):
            first = int(self.path[5:-4]) * SITEMAP_URLS
            last = min(first + SITEMAP_URLS, site.listed)
            body, kind = "<urlset>" + "".join(f"<url><loc>{site.url}page/{n}</loc></url>" for n in range(first, last)) + "</urlset>", "text/xml"
        elif self.path in ("/robots.txt", "/sitemap.xml"):
            return self.send_error(404)
        else:
            time.sleep(0.05)
            body = f"<title>{self.path}</title><main><p>Words of the page {self.path}, as many as it takes to be read.</p></main>"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class Home:
    """A data folder of its own."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "QUARRY_DATA": str(self.folder / "data")}

    def start(self, *arguments, **more):
        return subprocess.Popen([QUARRY, *arguments], env=self.environment, text=True, **more)

    def run(self, *arguments):
        done = subprocess.run([QUARRY, *arguments], env=self.environment, text=True, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"quarry {arguments}: {done.stderr}")
        return done.stdout

    def peak_of(self, *arguments):
        """Of the command, in MB."""
        process = self.start(*arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, arguments
        return usage.ru_maxrss / 1024

    def close(self):
        subprocess.run([QUARRY, "daemon", "stop"], env=self.environment, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def start():
    site, took = Site(), []
    for _ in range(20):
        home = Home()
        begin = time.time()
        home.run("crawl", site.url, "--limit", "100", "--allow-private")
        took.append((time.time() - begin) * 1000)
        home.close()
    print(f"crawl in the background, on a new data folder: returns after {statistics.median(took):.0f} ms (slowest of 20: {max(took):.0f} ms)")


def queue():
    for mode in (["--pickup", "--jobs", "2000"], ["--add", "--jobs", "30000"], ["--drain", "--jobs", "30000"]):
        print(subprocess.run([ROOT / "build/release/bench/queue_bench", *mode], capture_output=True, text=True, check=True).stdout.rstrip())


def megabytes(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def memory():
    for count in (5_000, 200_000):
        site, home = Site(listed=count), Home()
        crawl = home.start("crawl", site.url, "--limit", "1000000", "--wait", "--allow-private", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = 0
        while found < count:
            time.sleep(0.2)
            listed = subprocess.run([QUARRY, "status", "--list", "--json"], env=home.environment, capture_output=True, text=True).stdout
            found = json.loads(listed or "[]")[0]["urls_total"] if listed.startswith("[{") else 0
        print(f"a crawl that has found {found:,} URLs: peak {megabytes(crawl):.0f} MB")
        crawl.kill()
        crawl.wait()
        home.close()
        site.shutdown()
    words = [f"word{n}" for n in range(5_000)]
    for count in (5_000, 100_000):
        home = Home()
        lines = home.folder / "lines.jsonl"
        with open(lines, "w") as file:
            for n in range(count):
                file.write(json.dumps({"_id": str(n), "text": " ".join(random.choices(words, k=200))}) + "\n")
        imported = home.peak_of("import", str(lines), "--no-embed")
        print(f"{count:,} documents of 1.5 KB: import peaks at {imported:.0f} MB, export pages at {home.peak_of('export', 'pages'):.0f} MB")
        home.close()


if __name__ == "__main__":
    parts = {"start": start, "queue": queue, "memory": memory}
    for name in sys.argv[1:] or parts:
        parts[name]()
