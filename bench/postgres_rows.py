#!/usr/bin/env python3
"""What is asked of a PostgreSQL store that holds ten million job rows: a crawl's pages and counts over the API, and the sample queries
of the document that the views `nuq` and `webhook` are made after, as they stand there.

usage: bench/postgres_rows.py [--rows 10000000] [--folder DIR]

Fills a database server that it starts itself (as the user postgres when it is run by root; about 10 GB) by SQL: eight rows in ten are
pages of crawls of 10,000, begun over thirty days, one in ten a single page, one in ten a job that has ended. Then asks, each question of
other crawls, and prints the median and the slowest. QUARRY names the program; the queries need shared/seeds beside the checkout.
"""
import argparse, glob, json, os, pathlib, random, re, shutil, socket, statistics, subprocess, tempfile, time, urllib.error, urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
QUARRY = os.environ.get("QUARRY", str(ROOT / "build/release/quarry"))
BINARIES = max(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin")), default="")
PAGES_OF_CRAWL = 10_000


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Database:
    def __init__(self, folder):
        self.folder, self.port = folder / "postgres", free_port()
        self.folder.mkdir()
        folder.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "-D", self.folder / "db", "-A", "trust", "-U", "bench")
        with open(self.folder / "db/postgresql.conf", "a") as file:
            file.write(f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = '{self.folder}'\n"
                       "shared_buffers = 1GB\nmax_wal_size = 16GB\nmaintenance_work_mem = 1GB\ncheckpoint_timeout = 1h\n")
        self.run("pg_ctl", "-D", self.folder / "db", "-l", self.folder / "log", "-w", "start")
        self.url = f"postgres://bench@127.0.0.1:{self.port}/postgres"

    def run(self, program, *arguments):
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        return subprocess.run([*before, f"{BINARIES}/{program}", *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def ask(self, sql):
        done = subprocess.run([f"{BINARIES}/psql", "-qAtX", "-v", "ON_ERROR_STOP=1", self.url], input=sql, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return done.stdout

    def time(self, sql):
        """Milliseconds by the client's clock, and how many rows came."""
        lines = self.ask(f"\\timing on\n{sql}").splitlines()
        took = [float(line.split()[1]) for line in lines if line.startswith("Time: ")]
        return took[-1], len(lines) - len(took)

    def close(self):
        self.run("pg_ctl", "-D", self.folder / "db", "-m", "immediate", "stop")


# Numbers of rows say which crawl and which page they are: crawl c has id c * 100000, its page p the ids behind.
FILL = """
set synchronous_commit = off;
insert into quarry.owner(name) values ('local') on conflict do nothing;
insert into quarry.host(name) values ('site.example');
create temp table o as select id as owner from quarry.owner where name = 'local';
create temp table h as select id as host from quarry.host where name = 'site.example';

insert into quarry.grp(id, kind, name, options, collection, site, owner, state, priority, company, page_limit, url_limit, index_pages,
                       zero_retention, closing_jobs, roots, error, created_at, started_at, finished_at, discovered, completed, failed)
    select c * 100000, 'crawl', 'https://site.example/' || c, '{"kind":"crawl","limit":10000}', 'default', 'site.example', owner, 2, 2, 0,
           10000, 100000, true, false, '[]', '[]', '', t, t + 10, t + 600000, PAGES, PAGES - PAGES / 100, PAGES / 100
    from o, generate_series(1, CRAWLS) as c, lateral (select NOW - c * 2592000000 / CRAWLS as t) as at;
insert into quarry.frontier(id, grp, host, key, state, depth, redirects, source, priority, attempts, status, content, finished_at, url, note)
    select c * 100000 + p, c * 100000, host, decode(md5(c || '/' || p), 'hex'), case when p % 100 = 0 then 3 else 2 end, 1, 0, 1, 2, 1,
           case when p % 100 = 0 then 500 else 200 end, case when p % 100 > 0 then c * 100000 + p end,
           NOW - c * 2592000000 / CRAWLS + p * 50, 'https://site.example/' || c || '/page-' || p || '.html',
           case when p % 100 = 0 then 'the server said 500' end
    from h, generate_series(1, CRAWLS) as c, generate_series(1, PAGES) as p;
insert into quarry.content(id, page, details, markdown)
    select id, id, '{"metadata":{"title":"A page","description":"of a crawl"},"links":["https://site.example/next"]}',
           '# A page' || repeat(' with words that are read', 8) || id
    from quarry.frontier where content is not null;
insert into quarry.result(grp, sequence, url, page, content) select grp, id, id, id, id from quarry.frontier where content is not null;
insert into quarry.page(id, collection, key, site, content, version, seen_by, missed, status, content_hash, simhash, body_bytes, fetched_at,
                        changed_at, url, final_url, etag, last_modified, content_type, title, language)
    select id, 'default', key, 'site.example', id, 1, grp, 0, 200, id, id, 5000, finished_at, finished_at, url, url, '', '', 'text/html',
           'A page', 'en'
    from quarry.frontier where content is not null;

insert into quarry.grp(id, kind, name, options, collection, site, owner, state, priority, company, page_limit, url_limit, index_pages,
                       zero_retention, closing_jobs, roots, error, created_at, started_at, finished_at, discovered, completed, failed)
    select 100000000000 + s * 10, 'scrape', 'https://single.example/' || s, '{"kind":"scrape"}', 'scrapes', 'single.example', owner,
           case when s % 50 = 0 then 3 else 2 end, 1, 1, 1, 10, false, false, '[]', '[]', '', t, t + 10, t + 500, 1,
           case when s % 50 = 0 then 0 else 1 end, case when s % 50 = 0 then 1 else 0 end
    from o, generate_series(1, SINGLES) as s, lateral (select NOW - s * 2592000000 / SINGLES as t) as at;
insert into quarry.frontier(id, grp, host, key, state, depth, redirects, source, priority, attempts, status, content, finished_at, url, note)
    select 100000000000 + s * 10 + 1, 100000000000 + s * 10, host, decode(md5('s' || s), 'hex'), case when s % 50 = 0 then 3 else 2 end, 0, 0, 0,
           1, 1, 200, case when s % 50 > 0 then 100000000000 + s * 10 + 1 end, NOW - s * 2592000000 / SINGLES + 400,
           'https://single.example/' || s, case when s % 50 = 0 then 'no such host' end
    from h, generate_series(1, SINGLES) as s;
insert into quarry.content(id, page, details, markdown)
    select id, id, '{"metadata":{"title":"One page"}}', '# One page' || repeat(' with words that are read', 8)
    from quarry.frontier where id > 100000000000 and content is not null;

insert into quarry.kind(name) values ('bench');
insert into quarry.done(id, kind, state, priority, owner, attempts, max_attempts, stalls, zero_retention, created_at, started_at, finished_at)
    select 200000000000 + j, kind.id, 2, 2, owner, 1, 3, 0, false, t, t + 5, t + 20
    from o, quarry.kind, generate_series(1, JOBS) as j, lateral (select NOW - j * 2592000000 / JOBS as t) as at where kind.name = 'bench';
select setval('quarry.id', 300000000000);
"""


def fill(database, rows):
    crawls, singles, jobs = rows * 8 // 10 // PAGES_OF_CRAWL, rows // 10, rows // 10
    sql = FILL
    for word, value in (("CRAWLS", crawls), ("PAGES", PAGES_OF_CRAWL), ("SINGLES", singles), ("JOBS", jobs), ("NOW", int(time.time() * 1000))):
        sql = re.sub(rf"\b{word}\b", str(value), sql)
    start = time.time()
    database.ask(sql)
    database.ask("vacuum analyze; checkpoint")
    size = database.ask("select pg_size_pretty(pg_database_size('postgres'))").strip()
    print(f"{crawls} crawls of {PAGES_OF_CRAWL} pages, {singles} single pages, {jobs} ended jobs: {size}, filled in {time.time() - start:.0f} s",
          flush=True)
    return database.ask("select uuid from quarry.grp where kind = 'crawl'").split()


def say(name, times, more=""):
    print(f"{name}: median {statistics.median(times):.1f} ms, slowest of {len(times)} {max(times):.1f} ms{more}", flush=True)


class Server:
    def __init__(self, database, folder):
        self.port = free_port()
        self.process = subprocess.Popen([QUARRY, "--store", database.url, "--data", str(folder / "data"), "serve", "--workers", "0",
                                         "--listen", f"127.0.0.1:{self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                self.get("/health")
                return
            except urllib.error.HTTPError:  # it is there, and misses workers
                return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit("quarry serve did not start")
                time.sleep(0.05)

    def get(self, path):
        start = time.time()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}") as answer:
            body = answer.read()
        return (time.time() - start) * 1000, body

    def close(self):
        self.process.terminate()
        self.process.wait()


def ask_server(database, folder, crawls):
    server = Server(database, folder)
    try:
        random.shuffle(crawls)
        first, deep, counts = [], [], []
        for id in crawls[:50]:
            took, body = server.get(f"/v2/crawl/{id}?limit=100")
            assert len(json.loads(body)["data"]) == 100, body[:500]
            first.append(took)
        for id in crawls[-100:-50]:
            deep.append(server.get(f"/v2/crawl/{id}?limit=100&skip=9000")[0])
        for id in crawls[-50:]:
            counts.append(server.get(f"/crawl-progress/{id}")[0])
        say("a crawl's first 100 pages and its counts, over the API", first)
        say("its pages 9,000 to 9,100", deep)
        say("its counts alone", counts)
    finally:
        server.close()


def ask_queries(database, crawls):
    document = "".join(open(path).read() for path in glob.glob(str(ROOT.parent / "shared/seeds/003_*")))
    queries = re.findall(r"```sql\n(SELECT.*?)```", document, re.S)
    if len(queries) != 5:
        print("skipped: the sample queries; no shared/seeds beside the checkout")
        return
    for name, query in zip(("recent single pages", "pages of a crawl", "failed jobs of 6 hours", "sessions of 24 hours", "jobs and sessions"), queries):
        times, rows = [], 0
        for id in random.sample(crawls, 10):
            took, rows = database.time(query.replace("<crawl_uuid>", id))
            times.append(took)
        say(f"{name} ({rows} rows)", times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    wanted = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(dir=wanted.folder))
    database = Database(folder)
    try:
        Server(database, folder).close()  # makes the tables
        crawls = fill(database, wanted.rows)
        ask_server(database, folder, crawls)
        ask_queries(database, crawls)
    finally:
        database.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
