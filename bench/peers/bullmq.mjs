// BullMQ on a Redis that is running: node bullmq.mjs drain|add|bulk|pickup JOBS PORT
import { Queue, Worker } from "bullmq";

const [mode, count, port] = process.argv.slice(2);
const jobs = Number(count);
const connection = { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null };
const queue = new Queue("bench", { connection });
const payload = { text: "x".repeat(1000) };
const entries = Array.from({ length: 1000 }, () => ({ name: "bench", data: payload }));

const report = (what, n, start) => {
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(`bullmq          ${what.padEnd(24)} ${Math.round(n / seconds)}/s`);
};

await queue.obliterate({ force: true });
if (mode === "pickup") {
  let taken;
  const worker = new Worker("bench", async () => taken(process.hrtime.bigint()), { connection });
  await worker.waitUntilReady();
  const waits = [];
  for (let i = 0; i < jobs; i++) {
    const seen = new Promise((resolve) => { taken = resolve; });
    const start = process.hrtime.bigint();
    await queue.add("bench", payload);
    waits.push(Number((await seen) - start) / 1e6);
  }
  waits.sort((a, b) => a - b);
  console.log(`bullmq          pickup                   p50 ${waits[jobs >> 1].toFixed(2)} ms`);
} else if (mode === "add") {
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let i = 0; i < jobs / 16; i++) await queue.add("bench", payload);
  }));
  report("add, 16 producers", jobs, start);
} else {
  const start = process.hrtime.bigint();
  for (let i = 0; i < jobs / 1000; i++) await queue.addBulk(entries);
  report("add in bulk of 1000", jobs, start);
}
if (mode === "drain") {
  let done = 0;
  await new Promise((resolve) => {
    const start = process.hrtime.bigint();
    const worker = new Worker("bench", async () => {}, { connection, concurrency: 100 });
    worker.on("completed", () => { if (++done === jobs) { report("drain, concurrency 100", jobs, start); resolve(); } });
  });
}
process.exit(0);
