// firecrawl-cli: the program as a user runs it, with its words, exit codes and questions to the server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import { stripVTControlCharacters as plain } from 'node:util';
import { api, assert_patient, assert_sane, page_count, requests, site, until } from './check.mjs';

const limit = { timeout: 30_000 };
const program = createRequire(import.meta.url).resolve('firecrawl-cli/dist/index.js');
mkdirSync('empty', { recursive: true });

// Without a key unless one is given. A program that hangs is killed by the test's limit.
async function firecrawl(args, key) {
  const environment = { ...process.env, FIRECRAWL_API_URL: api, FIRECRAWL_NO_UPDATE_CHECK: '1' };
  if (key) environment.FIRECRAWL_API_KEY = key;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: 'empty', env: environment, stdio: ['ignore', 'pipe', 'pipe'], timeout: limit.timeout,
  });
  const [out, err, code] = await Promise.all([
    text(child.stdout), text(child.stderr), new Promise((resolve) => child.on('close', resolve)),
  ]);
  assert_sane(out);
  assert_sane(err);
  return { out, err, code };
}

// What a command prints when all went well.
async function said(args, key) {
  const { out, err, code } = await firecrawl(args, key);
  assert.equal(code, 0, out + err);
  return out;
}

test('scrape prints a page', limit, async () => {
  const page = await said(['scrape', site + '/']);
  const links = JSON.parse(await said(['scrape', site + '/', '--format', 'markdown,links', '--json']));

  assert.match(page, /# The yard/);
  assert.ok(links.links.includes(site + '/pages/7.html'));
});

test('crawl --wait prints all pages', limit, async () => {
  const began = Date.now();

  const job = JSON.parse(await said(['crawl', site + '/', '--wait', '--poll-interval', '1']));

  assert.equal(job.status, 'completed');
  assert.equal(job.data.length, page_count);
  assert_patient('/v2/crawl/', began, 1, 2);
});

test('crawl --progress counts on', limit, async () => {
  const before = requests('GET', '/v2/crawl/');

  const { out, err, code } = await firecrawl([
    'crawl', site + '/', '--wait', '--progress', '--poll-interval', '1', '--limit', '20',
  ]);

  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).data.length, 20);
  assert.match(err, /20\/20/);
  assert.ok(requests('GET', '/v2/crawl/') - before <= 5);
});

test('crawl starts, tells and cancels', limit, async () => {
  const started = JSON.parse(await said(['crawl', site + '/', '--delay', '30']));
  const id = started.data.jobId;
  const running = await said(['crawl', id]);
  const cancelled = await said(['crawl', id, '--cancel']);
  const over = await said(['crawl', id, '--status']);

  assert.match(running, /scraping/);
  assert.match(cancelled, /cancelled/);
  assert.match(over, /cancelled/);
});

test('map lists the site', limit, async () => {
  const lines = (await said(['map', site + '/'])).trim().split('\n');
  const few = (await said(['map', site + '/', '--limit', '3'])).trim().split('\n');

  assert.ok(lines.includes(site + '/pages/130.html'));
  assert.equal(few.length, 3);
});

test('search finds what was crawled', limit, async () => {
  const found = await until(async () => {
    const out = await said(['search', 'which stone is the hardest', '--limit', '2']);
    return out.includes('The yard') && out;
  });

  assert.ok(found.includes(site + '/'));
});

test('parse prints a file', limit, async () => {
  writeFileSync('slate.html', '<!doctype html><title>Slate</title><h1>Slate</h1><p>Slate splits into plates.</p>');

  const page = await said(['parse', '../slate.html']);

  assert.match(page, /# Slate\n+Slate splits into plates\./);
});

for (const key of [undefined, 'fc-some-key']) {
  const with_key = key ? 'with a key' : 'without a key';

  test(`--status tells about the server ${with_key}`, limit, async () => {
    const status = plain(await said(['--status'], key));

    assert.match(status, key ? /Concurrency: \d+\/\d+ jobs/ : /Not authenticated/);
    if (key) assert.match(status, /Credits: +[\d,]+/);
  });

  test(`credit-usage is plenty ${with_key}`, limit, async () => {
    const credits = JSON.parse(await said(['credit-usage', '--json'], key));

    assert.ok(credits.data.remainingCredits > 1_000_000);
    assert.match(await said(['credit-usage'], key), /[\d,]{9,}/);
  });
}

test('doctor finds nothing wrong with the server', limit, async () => {
  const { checks } = JSON.parse(await said(['doctor', '--json'], 'fc-some-key'));

  const state_of = Object.fromEntries(checks.map((check) => [check.name, check.status]));
  for (const name of ['API Key Validity', 'Credits', 'Concurrency']) assert.equal(state_of[name], 'pass');
  assert.equal(state_of['API Reachability'], 'warn'); // of its words for a server of one's own, the best
});

test('an error is a sentence and an exit code', limit, async () => {
  const missing = await firecrawl(['crawl', '018f0000-0000-7000-8000-000000000000']);
  const agent = await firecrawl(['agent', 'find it']);

  assert.equal(missing.code, 1);
  assert.match(missing.err, /Error: .*not found/);
  assert.equal(agent.code, 1);
  assert.match(agent.err, /Firecrawl's cloud/);
});
