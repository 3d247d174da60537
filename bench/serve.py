#!/usr/bin/env python3
"""The server: polling, documents beside nginx, latency of a scrape, memory, and crawls that are watched.

usage: bench/serve.py [PART...]     PART: poll status scrape idle watch memory (all of them by default)

Needs wrk and nginx. The load generator, nginx and quarry share the machine. Sites are made in a scratch folder.
QUARRY names the program (build/release/quarry by default); SCRAPES and CRAWLS shorten the last part.
"""
import concurrent.futures, http.client, json, os, random, re, shutil, socket, statistics, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUARRY = os.environ.get("QUARRY", os.path.join(ROOT, "build/release/quarry"))
RANDOM = random.Random(1)
WORDS = ["".join(RANDOM.choice("aeiou" if place % 2 else "bcdfglmnprstv") for place in range(RANDOM.randint(3, 9))) for _ in range(5000)]


class Connection(http.client.HTTPConnection):
    """Sends what it has at once, as other clients do; http.client waits for an acknowledgement between head and body."""

    def connect(self):
        super().connect()
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_site(folder, pages, size):
    os.makedirs(folder, exist_ok=True)
    for number in range(pages):
        links = "".join(f'<li><a href="p{(number * 7 + k) % pages}.html">page {k}</a></li>' for k in range(1, 9))
        text, used, part = [], 0, 0
        while used < size:
            paragraph = f"Paragraph {number}-{part}. " + " ".join(RANDOM.choices(WORDS, k=60)) + "."
            text.append(f"<p>{paragraph}</p>")
            used, part = used + len(paragraph), part + 1
        body = f"<html><head><title>Page {number}</title></head><body><main><h1>Page {number}</h1>{''.join(text)}</main><nav><ul>{links}</ul></nav></body></html>"
        with open(os.path.join(folder, f"p{number}.html"), "w") as file:
            file.write(body)
    shutil.copy(os.path.join(folder, "p0.html"), os.path.join(folder, "index.html"))


class Nginx:
    def __init__(self, folder, root):
        self.port = free_port()
        config = os.path.join(folder, f"nginx-{self.port}.conf")
        with open(config, "w") as file:
            file.write(f"""worker_processes 1; daemon off; {"user root; " if os.geteuid() == 0 else ""} pid {folder}/nginx-{self.port}.pid; error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{ default_type text/html; types {{ application/json json; text/html html; }} access_log off; sendfile on; tcp_nodelay on;
keepalive_requests 100000000; open_file_cache max=20000;
client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
server {{ listen 127.0.0.1:{self.port}; root {root}; index index.html; }} }}""")
        self.process = subprocess.Popen(["nginx", "-c", config], stderr=subprocess.DEVNULL)
        wait_for(self.port)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class DelayProxy:
    """Forwards bytes, each answer 50 ms late, so that a crawl waits for its site and not for the machine."""

    def __init__(self, target):
        program = os.path.join(tempfile.gettempdir(), "delay.py")
        with open(program, "w") as file:
            file.write("""import asyncio,sys
async def pipe(r,w,delay):
    try:
        while data:=await r.read(65536):
            if delay: await asyncio.sleep(delay)
            w.write(data); await w.drain()
    except Exception: pass
    finally: w.close()
async def client(r,w):
    try: r2,w2=await asyncio.open_connection('127.0.0.1',int(sys.argv[2]))
    except Exception: return w.close()
    await asyncio.gather(pipe(r,w2,0.05),pipe(r2,w,0))
async def main():
    s=await asyncio.start_server(client,'127.0.0.1',int(sys.argv[1]))
    await s.serve_forever()
asyncio.run(main())""")
        self.port = free_port()
        self.process = subprocess.Popen([sys.executable, program, str(self.port), str(target)])
        wait_for(self.port)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Server:
    def __init__(self, folder):
        self.port, self.folder = free_port(), tempfile.mkdtemp(dir=folder)
        environment = dict(os.environ, QUARRY_DATA=self.folder, QUARRY_FETCH_ALLOW_PRIVATE="true", HOME=self.folder)
        self.process = subprocess.Popen([QUARRY, "serve", "--quiet", "--listen", f"127.0.0.1:{self.port}"], env=environment, stderr=subprocess.DEVNULL)
        wait_for(self.port)

    def ask(self, method, path, body=None):
        connection = Connection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def crawl(self, url, **options):
        return self.ask("POST", "/v2/crawl", {"url": url, "limit": 100000, "crawlEntireDomain": True, **options})["id"]

    def wait(self, crawl):
        while True:
            status = self.ask("GET", f"/v2/crawl/{crawl}?limit=1")
            if status["status"] != "scraping":
                return status
            time.sleep(0.2)

    def memory(self):
        with open(f"/proc/{self.process.pid}/smaps_rollup") as file:
            return int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M)[1]) * 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


def wait_for(port):
    for _ in range(500):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
    sys.exit(f"nobody listens on {port}")


def wrk(url, connections=64, seconds=5):
    text = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url], capture_output=True, text=True).stdout
    failed = re.search(r"Non-2xx.*", text)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), failed[0] if failed else ""


def poll(folder):
    make_site(f"{folder}/large", 3000, 3000)
    nginx = Nginx(folder, f"{folder}/large")
    proxy, server = DelayProxy(nginx.port), Server(folder)
    crawl = server.crawl(f"http://127.0.0.1:{proxy.port}/", maxConcurrency=8)
    for path in (f"/crawl-progress/{crawl}", "/v2/team/queue-status"):
        rate, failed = wrk(f"http://127.0.0.1:{server.port}{path}")
        state = server.ask("GET", f"/v2/crawl/{crawl}?limit=1")
        print(f"{path.replace(crawl, '{id}')}: {rate:,.0f} requests/s, 64 connections, crawl {state['status']} ({state['completed']} of {state['total']}) {failed}")
    for part in (server, proxy, nginx):
        part.stop()


def status(folder):
    make_site(f"{folder}/documents", 100, 10_000)
    os.makedirs(f"{folder}/bytes", exist_ok=True)
    nginx, server = Nginx(folder, f"{folder}/documents"), Server(folder)
    crawl = server.crawl(f"http://127.0.0.1:{nginx.port}/")
    server.wait(crawl)
    connection = Connection("127.0.0.1", server.port)
    connection.request("GET", f"/v2/crawl/{crawl}")
    body = connection.getresponse().read()
    with open(f"{folder}/bytes/status.json", "wb") as file:
        file.write(body)
    peer = Nginx(folder, f"{folder}/bytes")
    ours, failed = wrk(f"http://127.0.0.1:{server.port}/v2/crawl/{crawl}", 16)
    theirs, _ = wrk(f"http://127.0.0.1:{peer.port}/status.json", 16)
    print(f"crawl status, {len(json.loads(body)['data'])} documents, {len(body):,} bytes: {ours:,.0f}/s, nginx {theirs:,.0f}/s, ratio {ours / theirs:.2f} {failed}")
    for part in (server, peer, nginx):
        part.stop()


def scrape(folder):
    make_site(f"{folder}/small", 400, 5_000)
    nginx, server = Nginx(folder, f"{folder}/small"), Server(folder)
    direct, through = [], []
    site = Connection("127.0.0.1", nginx.port)
    client = Connection("127.0.0.1", server.port)
    for number in range(400):
        begun = time.perf_counter()
        site.request("GET", f"/p{number}.html")
        site.getresponse().read()
        direct.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        client.request("POST", "/v2/scrape", json.dumps({"url": f"http://127.0.0.1:{nginx.port}/p{number}.html", "maxAge": 0}), {"Content-Type": "application/json"})
        assert json.loads(client.getresponse().read())["success"]
        through.append(time.perf_counter() - begun)
    p50, p99 = statistics.median(through) * 1000, statistics.quantiles(through, n=100)[98] * 1000
    print(f"scrape: p50 {p50:.1f} ms, p99 {p99:.1f} ms; the fetch alone p50 {statistics.median(direct) * 1000:.2f} ms; added {p50 - statistics.median(direct) * 1000:.1f} ms")
    server.stop()
    nginx.stop()


def idle(folder):
    server = Server(folder)
    time.sleep(1)
    before = server.memory()
    connections = []
    for _ in range(1000):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        connection.recv(1000)
        connections.append(connection)
    time.sleep(1)
    after = server.memory()
    print(f"idle: {before / 1e6:.1f} MB; each of 1,000 idle connections {(after - before) / 1000 / 1024:.1f} KB")
    server.stop()


def watch(folder):
    make_site(f"{folder}/watched", 4000, 4000)
    nginx = Nginx(folder, f"{folder}/watched")
    rates = {}
    for watchers in (0, 64, 0, 64):
        server = Server(folder)
        crawl = server.crawl(f"http://127.0.0.1:{nginx.port}/")
        stop = threading.Event()

        def poll_once_a_second():
            client = Connection("127.0.0.1", server.port)
            while not stop.is_set():
                client.request("GET", f"/v2/crawl/{crawl}?limit=1")
                client.getresponse().read()
                stop.wait(1)

        threads = [threading.Thread(target=poll_once_a_second) for _ in range(watchers)]
        for thread in threads:
            thread.start()
        state = server.wait(crawl)
        stop.set()
        for thread in threads:
            thread.join()
        rates.setdefault(watchers, []).append(state["completed"] / state["duration"])
        server.stop()
    alone, watched = max(rates[0]), max(rates[64])
    print(f"crawl: {alone:,.0f} pages/s alone, {watched:,.0f} with 64 clients that poll: {watched / alone:.0%}")
    nginx.stop()


def memory(folder):
    scrapes, crawls = int(os.environ.get("SCRAPES", 10_000)), int(os.environ.get("CRAWLS", 30))
    make_site(f"{folder}/again", 300, 5_000)
    nginx, server = Nginx(folder, f"{folder}/again"), Server(folder)

    def scrape_some(numbers):
        client = Connection("127.0.0.1", server.port)
        for number in numbers:
            client.request("POST", "/v2/scrape", json.dumps({"url": f"http://127.0.0.1:{nginx.port}/p{number % 300}.html?n={number}", "maxAge": 0}))
            client.getresponse().read()

    def scrape_all(first, last):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(scrape_some, [range(first + part, last, 8) for part in range(8)]))

    scrape_all(0, 1000)
    time.sleep(2)
    early = server.memory()
    scrape_all(1000, scrapes)
    for number in range(crawls):
        server.wait(server.crawl(f"http://127.0.0.1:{nginx.port}/?crawl={number}"))
    time.sleep(5)
    late = server.memory()
    print(f"memory: {early / 1e6:.1f} MB after 1,000 scrapes, {late / 1e6:.1f} MB after {scrapes:,} and {crawls} crawls: {late / early - 1:+.0%}")
    server.stop()
    nginx.stop()


def main():
    parts = {"poll": poll, "status": status, "scrape": scrape, "idle": idle, "watch": watch, "memory": memory}
    for name in sys.argv[1:] or parts:
        if name not in parts:
            sys.exit(__doc__)
        with tempfile.TemporaryDirectory() as folder:
            parts[name](folder)


if __name__ == "__main__":
    main()
