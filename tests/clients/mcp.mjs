// firecrawl-mcp over stdio: what an assistant calls, and what it is given to read.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import test, { after } from 'node:test';
import { api, assert_patient, assert_sane, page_count, site, until } from './check.mjs';

const limit = { timeout: 20_000 };
const program = createRequire(import.meta.url).resolve('firecrawl-mcp/dist/index.js');
const server = spawn(process.execPath, [program], {
  env: { ...process.env, FIRECRAWL_API_URL: api }, stdio: ['pipe', 'pipe', 'inherit'],
});
after(() => server.kill());

const waiting = new Map();
createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line); // nothing else may stand there
  waiting.get(message.id)?.(message);
});

function send(message) {
  server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
}

let last_id = 0;
function ask(method, params) {
  const id = ++last_id;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function call(tool, args) {
  const { result } = await ask('tools/call', { name: `firecrawl_${tool}`, arguments: args });
  const words = result.content.map((part) => part.text).join('\n');
  assert_sane(words);
  assert.ok(!result.isError, words);
  return JSON.parse(words);
}

test('it starts, and offers its tools', limit, async () => {
  const started = await ask('initialize', {
    protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'quarry', version: '1' },
  });
  send({ method: 'notifications/initialized' });
  const { result } = await ask('tools/list', {});

  assert.ok(started.result.serverInfo.name);
  assert.ok(result.tools.length > 20);
});

test('scrape gives the page', limit, async () => {
  const page = await call('scrape', { url: site + '/', formats: ['markdown'] });

  assert.match(page.markdown, /^# The yard/);
});

test('map lists the site', limit, async () => {
  const { links } = await call('map', { url: site + '/', limit: 5 });

  assert.equal(links.length, 5);
});

test('crawl waits for all pages, and its status can be asked for', limit, async () => {
  const began = Date.now();

  const job = await call('crawl', { url: site + '/', limit: 200 });
  const status = await call('check_crawl_status', { id: job.id });

  assert.equal(job.status, 'completed');
  assert.equal(job.data.length, page_count);
  assert.equal(status.completed, page_count);
  assert_patient('/v2/crawl/', began, 2, 4);
});

test('search finds what was crawled', limit, async () => {
  const hits = await until(async () => {
    const { data } = await call('search', { query: 'which stone is the hardest', limit: 3 });
    return data.web.some((hit) => hit.url === site + '/') && data.web;
  });

  assert.match(hits.find((hit) => hit.url === site + '/').description, /Granite/);
});

test('parse reads a file', limit, async () => {
  writeFileSync('slate.html', '<!doctype html><title>Slate</title><h1>Slate</h1><p>Slate splits into plates.</p>');

  const { data } = await call('parse', { filePath: `${process.cwd()}/slate.html`, formats: ['markdown'] });

  assert.match(data.markdown, /^# Slate/);
});

test('credits are plenty', limit, async () => {
  const usage = await call('credit_usage', {});

  assert.ok(JSON.stringify(usage).match(/remainingCredits":\d{7}/));
});
