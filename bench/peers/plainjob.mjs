// plainjob on better-sqlite3: node plainjob.mjs drain|add|bulk|pickup FULL|NORMAL JOBS FOLDER
import Database from "better-sqlite3";
import { better, defineQueue, defineWorker } from "plainjob";
import { rmSync } from "node:fs";

const [mode, sync, count, folder] = process.argv.slice(2);
const jobs = Number(count);
const file = `${folder}/plainjob.db`;
for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
const database = new Database(file);
const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const queue = defineQueue({ connection: better(database), logger: quiet });
database.pragma(`synchronous = ${sync}`); // after the queue, which sets NORMAL
const payload = { text: "x".repeat(1000) };

const report = (what, n, start) => {
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(`plainjob ${sync.padEnd(6)} ${what.padEnd(24)} ${Math.round(n / seconds)}/s`);
};

if (mode === "add") {
  const start = process.hrtime.bigint();
  for (let i = 0; i < jobs; i++) queue.add("bench", payload);
  report("add one by one", jobs, start);
} else if (mode === "drain") {
  queue.addMany("bench", Array.from({ length: jobs }, () => payload));
  let done = 0;
  await new Promise((resolve) => {
    const start = process.hrtime.bigint();
    const workers = Array.from({ length: 4 }, () =>
      defineWorker("bench", async () => {}, {
        queue,
        logger: quiet,
        onCompleted: () => {
          if (++done === jobs) {
            report("drain, 4 workers", jobs, start);
            Promise.all(workers.map((worker) => worker.stop())).then(resolve);
          }
        },
      }),
    );
    for (const worker of workers) worker.start();
  });
} else if (mode === "pickup") {
  const waits = [];
  let added = 0n;
  let picked = () => {};
  const worker = defineWorker("bench", async () => { waits.push(Number(process.hrtime.bigint() - added) / 1e6); picked(); }, { queue, logger: quiet });
  worker.start();
  for (let i = 0; i < jobs; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 50));
    await new Promise((resolve) => { picked = resolve; added = process.hrtime.bigint(); queue.add("bench", payload); });
  }
  waits.sort((a, b) => a - b);
  console.log(`plainjob ${sync.padEnd(6)} pickup p50 ${waits[waits.length >> 1].toFixed(2)} ms`);
  await worker.stop();
}
process.exit(0);
