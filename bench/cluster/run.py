#!/usr/bin/env python3
"""A cluster on one machine: PostgreSQL, a web of many hosts and several workers, each in a network namespace of its own.

usage: bench/cluster/run.py [--workers 1,2,4] [--hosts 64] [--pages 60] [--latency 0.1] [--fetches 32]

Every host of the web is an address of its own on which nginx answers after LATENCY seconds; a crawl visits all of them. Workers
have so many connections each, so that the time goes into waiting: twice the workers should take half of the time. What crosses a
network in a cluster crosses one here. Needs root, iproute2, postgresql, nginx with libnginx-mod-http-echo. QUARRY names the program.
"""
import argparse, json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUARRY = os.environ.get("QUARRY", str(ROOT / "build/release/quarry"))
BINARIES = max(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin")), default="")
PREFIX = f"q{os.getpid()}"  # of namespaces and links: two runs do not meet
NET = "10.177"
DATABASE = f"{NET}.0.2"


def sh(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more).stdout


class Network:
    """Namespaces on one bridge."""

    def __init__(self):
        self.bridge, self.names = f"{PREFIX}b", []
        sh("ip", "link", "add", self.bridge, "type", "bridge")
        sh("ip", "link", "set", self.bridge, "up")

    def add(self, name, *addresses):
        space, number = f"{PREFIX}-{name}", len(self.names)
        self.names.append(space)
        sh("ip", "netns", "add", space)
        sh("ip", "link", "add", f"{PREFIX}v{number}", "type", "veth", "peer", "name", "eth0", "netns", space)
        sh("ip", "link", "set", f"{PREFIX}v{number}", "master", self.bridge, "up")
        for address in addresses:
            sh("ip", "-n", space, "addr", "add", f"{address}/16", "dev", "eth0")
        for device in ("lo", "eth0"):
            sh("ip", "-n", space, "link", "set", device, "up")
        return ["ip", "netns", "exec", space]

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True)


class Web:
    """HOSTS addresses with PAGES pages each; the first page of the first host links to all hosts."""

    def __init__(self, network, folder, hosts, pages, latency):
        self.addresses = [f"{NET}.{1 + number // 200}.{1 + number % 200}" for number in range(hosts)]
        self.inside = network.add("web", *self.addresses)
        root = folder / "web"
        root.mkdir()
        words = "A page of a host that takes its time, with enough words on it to be read as a text of its own. " * 6
        links = "".join(f'<li><a href="/p{page}.html">page {page}</a>' for page in range(1, pages))
        for page in range(pages):
            (root / f"p{page}.html").write_text(f"<title>Page {page}</title><main><h1>Page {page}</h1><p>{words}</p></main>")
        (root / "index.html").write_text(f"<title>Start</title><main><h1>Start</h1><p>{words}</p><ul>{links}</ul></main>")
        config = folder / "nginx.conf"
        config.write_text(f"""
load_module /usr/lib/nginx/modules/ngx_http_echo_module.so;
pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1; daemon off; user root;
events {{ worker_connections 8192; }}
http {{ access_log off; types {{ text/html html; }} default_type text/html; keepalive_requests 1000000;
  server {{ listen 80; root {root};
    location = /robots.txt {{ return 404; }}
    location = /sitemap.xml {{ return 404; }}
    location / {{ echo_sleep {latency}; echo_exec @page; }}
    location @page {{ try_files $uri $uri/index.html =404; }} }} }}""")
        self.process = subprocess.Popen([*self.inside, "nginx", "-c", str(config)])

    def close(self):
        self.process.terminate()
        self.process.wait()


class Database:
    def __init__(self, network, folder):
        self.folder = folder / "postgres"
        self.folder.mkdir()
        folder.chmod(0o755)
        shutil.chown(self.folder, "postgres")
        self.inside = network.add("database", DATABASE)
        self.run("initdb", "-D", self.folder / "db", "-A", "trust", "-U", "quarry")
        with open(self.folder / "db/pg_hba.conf", "a") as file:
            file.write(f"host all all {NET}.0.0/16 trust\n")
        with open(self.folder / "db/postgresql.conf", "a") as file:
            file.write(f"listen_addresses = '{DATABASE}'\nunix_socket_directories = '{self.folder}'\nshared_buffers = 256MB\nmax_wal_size = 4GB\nmax_connections = 300\n")
        self.run("pg_ctl", "-D", self.folder / "db", "-l", self.folder / "log", "-w", "start")

    def run(self, program, *arguments):
        return sh(*self.inside, "runuser", "-u", "postgres", "--", f"{BINARIES}/{program}", *arguments)

    def fresh(self, name):
        self.run("createdb", "-h", DATABASE, "-U", "quarry", name)
        return f"postgres://quarry@{DATABASE}/{name}"

    def close(self):
        self.run("pg_ctl", "-D", self.folder / "db", "-m", "immediate", "stop")


def crawl(folder, network, database, web, workers, fetches):
    url = database.fresh(f"run{workers}")
    environment = dict(os.environ, QUARRY_STORE=url, QUARRY_FETCH_ALLOW_PRIVATE="true", QUARRY_WORKER_FETCHES=str(fetches), HOME=str(folder))
    inside = [network.add(f"w{workers}{number}", f"{NET}.0.{10 * workers + number + 10}") for number in range(workers)]

    def quarry(where, *arguments, **more):
        done = subprocess.run([*where, QUARRY, *arguments], env=environment, capture_output=True, text=True, **more)
        if done.returncode != 0:
            raise SystemExit(f"quarry {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    seeds = folder / f"seeds{workers}"
    seeds.write_text("".join(f"http://{address}/\n" for address in web.addresses))
    processes = [subprocess.Popen([*inside[number], QUARRY, "--data", str(folder / f"data{workers}-{number}"), "worker"], env=environment,
                                  stderr=open(folder / f"worker{workers}-{number}.log", "w")) for number in range(workers)]
    data = ["--data", str(folder / f"data{workers}-command"), "--json"]
    while len(json.loads(quarry(inside[0], *data, "queue", "workers"))) < workers:
        time.sleep(0.05)
    try:
        return follow(quarry, inside[0], data, seeds)
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait()


def follow(quarry, inside, data, seeds):
    """Begins the crawl and waits for its end: the crawl, and how long it took."""
    start = time.time()
    begun = json.loads(quarry(inside, *data, "crawl", "--no-embed", "--sitemap", "skip", "-f", str(seeds)))
    id = begun["data"]["jobId"]
    while True:
        state = json.loads(quarry(inside, *data, "status", id))
        state = state[0] if isinstance(state, list) else state
        if state["status"] in ("completed", "failed", "cancelled"):
            return state, time.time() - start
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("workers", "1,2,4"), ("hosts", 64), ("pages", 60), ("latency", 0.1), ("fetches", 32)):
        parser.add_argument(f"--{name}", type=type(value), default=value)
    wanted = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    network = Network()
    parts = [network]
    try:
        parts.append(Web(network, folder, wanted.hosts, wanted.pages, wanted.latency))
        parts.append(Database(network, folder))
        alone = None
        for workers in map(int, wanted.workers.split(",")):
            state, seconds = crawl(folder, network, parts[2], parts[1], workers, wanted.fetches)
            pages = state["urls_completed"]
            rate = pages / seconds
            alone = alone or rate / workers
            print(f"{workers} workers: {pages} pages {state['status']} in {seconds:.1f} s, {rate:,.0f} pages/s, {rate / alone:.2f} x one", flush=True)
    finally:
        for part in reversed(parts):
            part.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
