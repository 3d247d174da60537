// Queues on a PostgreSQL that is running: node postgres.mjs PEER add|bulk|drain|pickup JOBS URL
// PEER: nuq, graphile, graphile-tuned, pgboss, pgboss-batch. NuQ is its SQL as its schema's documentation has it, run by four loops.
import pg from "pg";

const [peer, mode, count, url] = process.argv.slice(2);
const jobs = Number(count);
const payload = { text: "x".repeat(1000) };
const loops = 4;

const now = () => Number(process.hrtime.bigint()) / 1e9;
const report = (what, n, start) =>
  console.log(`${peer.padEnd(16)} ${what.padEnd(28)} ${String(Math.round(n / (now() - start))).padStart(8)}/s`);
const in_loops = (run) => Promise.all(Array.from({ length: loops }, run));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function nuq() {
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  await pool.query(`create schema if not exists nuq_peer;
    drop table if exists nuq_peer.queue_scrape;
    create table nuq_peer.queue_scrape(id uuid primary key default gen_random_uuid(), status text not null default 'queued',
      data jsonb, created_at timestamptz not null default now(), priority int not null default 0, lock uuid, locked_at timestamptz,
      stalls integer, finished_at timestamptz, listen_channel_id text, returnvalue jsonb, failedreason text, owner_id uuid, group_id uuid);
    create index on nuq_peer.queue_scrape(priority, created_at, id) where status = 'queued';
    create index on nuq_peer.queue_scrape(locked_at) where status = 'active';
    create index on nuq_peer.queue_scrape(created_at) where status = 'completed';`);
  const claim = `with next as (select id from nuq_peer.queue_scrape where status = 'queued' order by priority asc, created_at asc
      for update skip locked limit 1)
    update nuq_peer.queue_scrape q set status = 'active', lock = gen_random_uuid(), locked_at = now() from next where q.id = next.id
    returning q.id, q.data, q.lock`;
  const finish = `update nuq_peer.queue_scrape set status = 'completed', lock = null, locked_at = null, finished_at = now(), returnvalue = $3
    where id = $1 and lock = $2`;
  const one = async () => {
    const { rows } = await pool.query({ name: "claim", text: claim });
    if (!rows.length) return false;
    await pool.query({ name: "finish", text: finish, values: [rows[0].id, rows[0].lock, "{}"] });
    return true;
  };
  return {
    add: () => pool.query({ name: "add", text: "insert into nuq_peer.queue_scrape(data) values ($1)", values: [payload] }),
    bulk: (n) => pool.query({ name: "bulk", text: "insert into nuq_peer.queue_scrape(data) select * from unnest($1::jsonb[])", values: [Array(n).fill(payload)] }),
    drain: () => in_loops(async () => { while (await one()); }),
  };
}

async function graphile(tuned) {
  const { run, makeWorkerUtils, Logger } = await import("graphile-worker");
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  const preset = { worker: { connectionString: url, maxPoolSize: 10, concurrentJobs: loops,
    logger: new Logger(() => () => {}),  // or it would write a line for each job
    ...(tuned ? { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : {}) } };
  return {
    add: () => utils.addJob("bench", payload),
    bulk: (n) => utils.addJobs(Array(n).fill({ identifier: "bench", payload })),
    drain: () => new Promise(async (resolve) => {
      let done = 0;
      const runner = await run({ preset, taskList: { bench: async () => { if (++done === jobs) setImmediate(resolve); } } });
      void runner;
    }),
    listen: async (taken) => { await run({ preset, taskList: { bench: async () => taken() } }); await sleep(500); },
  };
}

async function pgboss(batch) {
  const PgBoss = (await import("pg-boss")).default;
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue("bench");
  return {
    add: () => boss.send("bench", payload),
    bulk: (n) => boss.insert(Array(n).fill({ name: "bench", data: payload })),
    drain: () => in_loops(async () => {
      for (;;) {
        const got = await boss.fetch("bench", { batchSize: batch });
        if (!got.length) return;
        await boss.complete("bench", got.map((job) => job.id));
      }
    }),
  };
}

const queue = await { nuq, graphile: () => graphile(false), "graphile-tuned": () => graphile(true), pgboss: () => pgboss(1), "pgboss-batch": () => pgboss(100) }[peer]();
if (mode === "add") {
  const start = now();
  await Promise.all(Array.from({ length: 16 }, async () => { for (let i = 0; i < jobs / 16; i++) await queue.add(); }));
  report("add, 16 producers", jobs, start);
} else if (mode === "pickup") {
  let taken;
  await queue.listen(() => taken(now()));
  const waits = [];
  for (let i = 0; i < jobs; i++) {
    await sleep(5);
    const start = now();
    const picked = new Promise((resolve) => { taken = resolve; });
    await queue.add();
    waits.push((await picked) - start);
  }
  waits.sort((a, b) => a - b);
  console.log(`${peer.padEnd(16)} pickup p50 ${(waits[jobs >> 1] * 1e3).toFixed(2)} ms`);
} else {
  let start = now();
  for (let i = 0; i < jobs / 1000; i++) await queue.bulk(1000);
  report("add in bulk of 1000", jobs, start);
  if (mode === "drain") {
    start = now();
    await queue.drain();
    report(`drain, ${loops} at once`, jobs, start);
  }
}
process.exit(0);
