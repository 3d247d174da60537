#!/usr/bin/env python3
"""Rendering: speed beside bare DevTools driving, what the pool holds, what a thousand renders with crashes leave behind, which
pages `auto` renders, and whether rendering changes what static pages say.

usage: bench/browser.py [PART...]     PART: speed first leak decide same (all of them by default)

Needs chromium-headless-shell; decide and same need shared/bench/extraction beside the checkout, decide npm as well.
BENCH names the folder with browser_bench (build/release/bench), QUARRY the program, PAGES, LEAKS and SAME how many pages.
"""
import collections, functools, glob, gzip, http.server, json, os, pwd, random, re, shutil, signal, statistics, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUARRY = os.environ.get("QUARRY", os.path.join(ROOT, "build/release/quarry"))
BENCH = os.path.join(os.environ.get("BENCH", os.path.join(ROOT, "build/release/bench")), "browser_bench")
SHELL = "/usr/lib/chromium/chromium-headless-shell"
DATA = os.path.join(os.path.dirname(ROOT), "shared/bench/extraction/data")
AT_ONCE = 4

# A small application: an empty root, a script that asks for data and builds the page from it.
APPLICATION = """<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>"""
SCRIPT = """fetch('/data.json').then(answer => answer.json()).then(data => {
  const root = document.getElementById('root');
  for (const row of data) {
    const section = document.createElement('section');
    section.innerHTML = '<h2>' + row.title + '</h2><p>' + row.text + '</p>';
    root.append(section);
  }
  root.dataset.done = 'yes';
});"""
ROWS = json.dumps([{"title": f"Part {n}", "text": "Words that a script puts into the page. " * 5} for n in range(20)])


class Site(http.server.ThreadingHTTPServer):
    """Answers from a table, or else from a folder."""
    daemon_threads = True

    def __init__(self, folder=None):
        answers = {"/app.js": ("text/javascript", SCRIPT), "/data.json": ("application/json", ROWS)}

        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                if folder:
                    return super().do_GET()
                kind, body = answers.get(self.path, ("text/html", APPLICATION))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder) if folder else Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"


class BareBrowser:
    """The same shell, driven over the same pipes by nothing but the commands that are needed: the floor."""

    def __init__(self):
        nobody = pwd.getpwnam("nobody")
        self.folder = tempfile.mkdtemp()
        os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        to_browser, from_browser = os.pipe(), os.pipe()

        def begin():
            os.dup2(to_browser[0], 60); os.dup2(from_browser[1], 61)
            os.dup2(60, 3); os.dup2(61, 4)
            if os.geteuid() == 0:
                os.setgroups([]); os.setgid(nobody.pw_gid); os.setuid(nobody.pw_uid)

        self.process = subprocess.Popen(
            [SHELL, "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-breakpad",
             "--disable-background-networking", "--blink-settings=imagesEnabled=false", f"--user-data-dir={self.folder}"],
            preexec_fn=begin, close_fds=False, env={"HOME": self.folder, "PATH": "/usr/bin:/bin"}, stderr=subprocess.DEVNULL)
        os.close(to_browser[0]); os.close(from_browser[1])
        self.output, self.input = to_browser[1], os.fdopen(from_browser[0], "rb", 0)
        self.lock, self.numbers, self.waiting, self.events = threading.Lock(), 0, {}, collections.defaultdict(threading.Event)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        rest = b""
        while data := os.read(self.input.fileno(), 1 << 16):
            *messages, rest = (rest + data).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    slot = self.waiting.pop(message["id"])
                    slot[1] = message
                    slot[0].set()
                elif message["method"] == "Page.loadEventFired":
                    self.events[message["sessionId"]].set()

    def ask(self, method, session=None, **params):
        slot = [threading.Event(), None]
        with self.lock:
            self.numbers += 1
            self.waiting[self.numbers] = slot
            message = {"id": self.numbers, "method": method, "params": params}
            if session:
                message["sessionId"] = session
            os.write(self.output, json.dumps(message).encode() + b"\0")
        slot[0].wait(60)
        return slot[1]["result"]

    def render(self, url):
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable", session)
        self.ask("Page.navigate", session, url=url)
        self.events[session].wait(60)
        html = self.ask("Runtime.evaluate", session, awaitPromise=True, returnByValue=True, expression="""new Promise(done => {
            const look = () => document.querySelector('[data-done]') ? done(document.documentElement.outerHTML) : setTimeout(look, 5);
            look(); })""")["result"]["value"]
        self.ask("Target.disposeBrowserContext", browserContextId=context)
        return html

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def in_threads(work, items):
    items, lock = iter(items), threading.Lock()

    def run():
        while True:
            with lock:
                item = next(items, None)
            if item is None:
                return
            work(item)

    threads = [threading.Thread(target=run) for _ in range(AT_ONCE)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()


class Rendering:
    """browser_bench at work; its processes are looked at and hurt from outside."""

    def __init__(self, urls, seconds=30):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".txt")
        self.file.write("\n".join(urls) + "\n")
        self.file.flush()
        self.process = subprocess.Popen([BENCH, "render", self.file.name, str(AT_ONCE), str(seconds)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def result(self):
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def browser_processes():
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            words = re.split(rb"[\0 ]", open(path, "rb").read())  # Chromium's children write theirs anew, with spaces
        except OSError:
            continue
        if b"chromium" in os.path.basename(words[0]):
            found.append((int(path.split("/")[2]), words))
    return found


def speed(site):
    pages = int(os.environ.get("PAGES", 120))
    ratios = []
    for attempt in range(3):
        bare = BareBrowser()
        bare.render(site.url("/first"))
        start = time.time()
        in_threads(bare.render, [site.url(f"/bare-{attempt}-{n}") for n in range(pages)])
        floor = pages / (time.time() - start)
        bare.stop()
        ours = Rendering([site.url(f"/ours-{attempt}-{n}") for n in range(pages + 1)])
        got = ours.result()
        ours.stop()
        ratios.append(got["pages_per_second"] / floor)
        print(f"  {got['pages_per_second']:.1f} pages/s, bare DevTools {floor:.1f}: {ratios[-1]:.2f}", flush=True)
    print(f"speed: {statistics.median(ratios):.2f} of bare DevTools driving, {AT_ONCE} contexts")


def first(site):
    times, memory, command = [], [], []
    for n in range(7):
        run = Rendering([site.url(f"/first-{n}-{k}") for k in range(9)])
        got = run.result()
        run.stop()
        times.append(got["first_ms"])
        memory.append(got["idle_bytes"] / 1e6)
        start = time.time()
        subprocess.run([QUARRY, "scrape", site.url(f"/command-{n}"), "--render", "always", "--allow-private"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        command.append((time.time() - start) * 1000)
    print(f"first page after start: {statistics.median(times):.0f} ms (the whole command {statistics.median(command):.0f} ms); "
          f"idle pool: {statistics.median(memory):.0f} MB in {got['idle_processes']} processes")


def leak(site):
    count = int(os.environ.get("LEAKS", 1000))
    before = len(browser_processes())
    run = Rendering([site.url(f"/leak-{n}") for n in range(count)], seconds=5)
    done, hurt = threading.Event(), collections.Counter()

    def hurting():
        """One page in twenty: its process is killed, or stopped for good."""
        rate = 8.0  # pages a second, about
        while not done.wait(20 / rate):
            renderers = [pid for pid, words in browser_processes() if b"--type=renderer" in words]
            if renderers:
                kind = random.choice([signal.SIGKILL, signal.SIGSTOP])
                try:
                    os.kill(random.choice(renderers), kind)
                    hurt[kind.name] += 1
                except ProcessLookupError:
                    pass

    threading.Thread(target=hurting, daemon=True).start()
    got = run.result()
    done.set()
    deadline = time.time() + 60
    while len(browser_processes()) > before and time.time() < deadline:
        time.sleep(1)
    left = len(browser_processes()) - before
    took = 60 - max(0, deadline - time.time())
    run.stop()
    print(f"leak: {count} renders, {dict(hurt)}: {got['rendered']} rendered, {got['failed']} failed, {got['browsers']} browsers, "
          f"{got['ended_stuck']} ended as stuck; {left} processes left after {took:.0f} s (0 is the idle pool after 15 s)")


@functools.cache
def static_pages():
    """The pages of the extraction sets, unpacked into a folder: they were saved as their servers sent them."""
    folder = tempfile.mkdtemp()
    for path in sorted(glob.glob(f"{DATA}/*/pages/*.html.gz")):
        with gzip.open(path) as packed, open(os.path.join(folder, path.split("/")[-3] + "-" + os.path.basename(path)[:-3]), "wb") as file:
            shutil.copyfileobj(packed, file)
    return folder, sorted(glob.glob(f"{folder}/*.html"))


def decided(files):
    chosen = set()
    for start in range(0, len(files), 500):
        chosen |= set(subprocess.run([BENCH, "decide", *files[start:start + 500]], capture_output=True, text=True, check=True).stdout.split("\n"))
    return chosen - {""}


def decide(_):
    static = static_pages()[1]
    wrong = decided(static)
    print(f"  static pages: {len(wrong)} of {len(static)} would be rendered {[os.path.basename(path) for path in sorted(wrong)][:10]}")
    folder = os.environ.get("FRAMEWORKS") or tempfile.mkdtemp()
    if not os.path.exists(f"{folder}/out"):
        shutil.copytree(os.path.join(ROOT, "bench/frameworks"), folder, dirs_exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
        subprocess.run(["node", "build.mjs"], cwd=folder, check=True)
    client, server = sorted(glob.glob(f"{folder}/out/*/client-*.html")), sorted(glob.glob(f"{folder}/out/*/server-*.html"))
    chosen = decided(client + server)
    missed, needless = [f for f in client if f not in chosen], [f for f in server if f in chosen]
    print(f"  frameworks: {len(client)} built in the browser, missed {missed}; {len(server)} built on the server, needlessly {needless}")
    total, errors = len(static) + len(client) + len(server), len(wrong) + len(missed) + len(needless)
    print(f"decide: {100 * (total - errors) / total:.2f} % right of {total}; frameworks alone "
          f"{100 * (1 - (len(missed) + len(needless)) / max(1, len(client) + len(server))):.1f} %")


def words_of(record):
    return collections.Counter(re.findall(r"\w+", record.get("markdown") or ""))


def f1(one, other):
    total = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / total if total else 1.0


def same(_):
    """Saved pages ask other servers for their scripts, and here nobody answers: those that need none are static."""
    folder, files = static_pages()
    scripts = re.compile(rb"<script[^>]+src\s*=", re.I)
    static = [path for path in files if not scripts.search(open(path, "rb").read())]
    others = sorted(set(files) - set(static))
    random.Random(1).shuffle(others)
    site, limit = Site(folder), int(os.environ.get("SAME", 200))
    for name, chosen in (("static pages", static[:limit]), ("pages that miss their scripts", others[:limit])):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as urls:
            urls.write("\n".join(site.url("/" + os.path.basename(path)) for path in chosen))
            urls.flush()
            texts = {}
            for how in ("never", "always"):
                done = subprocess.run([QUARRY, "scrape", "-f", urls.name, "--render", how, "--json", "--allow-private"], capture_output=True, text=True)
                texts[how] = {record["url"]: record for record in map(flattened, done.stdout.splitlines())}
        failed = [url for url, record in texts["always"].items() if not record.get("markdown") and texts["never"][url].get("markdown")]
        scores = {url: f1(words_of(plain), words_of(texts["always"][url])) for url, plain in texts["never"].items() if url not in failed}
        low = sorted((score, url) for url, score in scores.items() if score < 0.9)
        print(f"same: mean F1 {statistics.mean(scores.values()):.4f} over {len(scores)} {name}, {len(low)} under 0.9, {len(failed)} not rendered")
        for score, url in low[:8]:
            print(f"  {score:.3f} {url}")
        for url in failed[:8]:
            print(f"  not rendered: {url} {str(texts['always'][url].get('error'))[:200]}")


def flattened(line):
    record = json.loads(line)
    return {**record, **record.get("data", {})} if isinstance(record.get("data"), dict) else record


def main():
    parts = {"speed": speed, "first": first, "leak": leak, "decide": decide, "same": same}
    wanted = sys.argv[1:] or list(parts)
    if any(name not in parts for name in wanted):
        sys.exit(__doc__)
    site = Site()
    for name in wanted:
        parts[name](site)


main()
