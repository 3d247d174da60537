// @mendable/firecrawl-js: every call of it that quarry answers, with a key and without.
import { Firecrawl } from '@mendable/firecrawl-js';
import assert from 'node:assert/strict';
import test from 'node:test';
import { api, assert_patient, assert_sane, assert_sane_value, page_count, requests, site, until } from './check.mjs';

const limit = { timeout: 20_000 };
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

// Follows a job to its end.
async function watch(client, id, kind) {
  const watcher = client.watcher(id, { kind, pollInterval: 1, timeout: 15 });
  const documents = [];
  watcher.on('document', (document) => documents.push(document));
  const end = new Promise((resolve, reject) => {
    watcher.on('done', resolve);
    watcher.on('error', (error) => reject(new Error(JSON.stringify(error))));
  });
  await watcher.start();
  return { documents, end: await end };
}

for (const key of ['fc-some-key', undefined]) {
  const client = new Firecrawl({ apiKey: key, apiUrl: api });
  const with_key = key ? 'with a key' : 'without a key';

  test(`a page is scraped in all its forms ${with_key}`, limit, async () => {
    const formats = ['markdown', 'html', 'rawHtml', 'links', 'images'];

    const document = await client.scrape(site + '/', { formats });

    assert_sane_value(document);
    assert.match(document.markdown, /^# The yard/);
    assert.match(document.html, /<b>marble<\/b>/);
    assert.match(document.rawHtml, /^<!doctype html>/);
    assert.ok(document.links.includes(site + '/pages/7.html'));
    assert.deepEqual(document.images, []);
    assert.equal(document.metadata.title, 'The yard');
    assert.equal(document.metadata.language, 'en');
    assert.equal(document.metadata.statusCode, 200);
    assert.equal(document.metadata.sourceURL, site + '/');
    assert.match(document.metadata.scrapeId, uuid);
  });

  test(`pages give data in the shape of a schema ${with_key}`, limit, async () => {
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };

    const document = await client.scrape(site + '/', { formats: [{ type: 'json', schema }] });
    const job = await client.extract({ urls: [site + '/'], schema, pollInterval: 1, timeout: 15 });

    assert.deepEqual(document.json, { title: 'The yard' });
    assert.equal(job.status, 'completed');
    assert.deepEqual(job.data, { title: 'The yard' });
  });

  test(`a crawl is waited for, all pages of it ${with_key}`, limit, async () => {
    const began = Date.now();

    const job = await client.crawl(site + '/', { pollInterval: 1 });

    assert_sane_value(job);
    assert.equal(job.status, 'completed');
    assert.equal(job.completed, page_count);
    assert.equal(job.total, page_count);
    assert.equal(new Set(job.data.map((document) => document.metadata.sourceURL)).size, page_count);
    assert_patient(`/v2/crawl/${job.id}`, began, 1, 2);
  });

  for (const kind of ['crawl', 'batch']) {
    test(`a ${kind} is watched ${with_key}`, limit, async () => {
      const began = Date.now();
      const urls = [1, 2, 3, 4, 5].map((number) => `${site}/pages/${number}.html`);
      const { id } =
        kind === 'crawl' ? await client.startCrawl(site + '/', { limit: 20 }) : await client.startBatchScrape(urls);

      const { documents, end } = await watch(client, id, kind);

      const path = (kind === 'crawl' ? '/v2/crawl/' : '/v2/batch/scrape/') + id;
      assert.equal(end.status, 'completed');
      assert.equal(documents.length, kind === 'crawl' ? 20 : 5);
      documents.forEach(assert_sane_value);
      // With a key there is one WebSocket, and one question at its end.
      if (key) assert.ok(requests('GET', path) <= 2);
      else assert_patient(path, began, 1, 1);
    });
  }

  test(`a batch is waited for, and what is no URL is told ${with_key}`, limit, async () => {
    const urls = [`${site}/pages/1.html`, `${site}/pages/2.html`, `${site}/missing.html`];
    const began = Date.now();

    const job = await client.batchScrape(urls, { options: { formats: ['markdown'] }, pollInterval: 1 });

    assert_sane_value(job);
    assert.equal(job.status, 'completed');
    assert.deepEqual(job.data.map((document) => document.metadata.statusCode).sort(), [200, 200, 404]);
    assert_patient(`/v2/batch/scrape/${job.id}`, began, 1, 1);
  });

  test(`a site is mapped ${with_key}`, limit, async () => {
    const all = await client.map(site + '/');
    const some = await client.map(site + '/', { limit: 7 });

    assert_sane_value(all);
    assert.ok(all.links.some((link) => link.url === `${site}/pages/130.html`));
    assert.equal(some.links.length, 7);
  });

  test(`what was crawled is found ${with_key}`, limit, async () => {
    const hits = await until(async () => {
      const { web } = await client.search('which stone is the hardest', { limit: 3 });
      return web.some((hit) => hit.url === site + '/') && web;
    });

    assert_sane_value(hits);
    assert.ok(hits.length <= 3);
    assert.match(hits.find((hit) => hit.url === site + '/').description, /Granite/);
  });

  test(`a crawl says what it could not fetch ${with_key}`, limit, async () => {
    const job = await client.crawl(site + '/', { limit: 200, includePaths: ['^/$', '^/loop', '^/private'], pollInterval: 1 });

    const { errors, robotsBlocked } = await client.getCrawlErrors(job.id);

    assert_sane_value(errors);
    assert.deepEqual(errors.map((error) => error.url), [site + '/loop']);
    assert.match(errors[0].error, /redirect/);
    assert.deepEqual(robotsBlocked, [site + '/private/plans.html']);
  });

  test(`a crawl that runs is listed and cancelled ${with_key}`, limit, async () => {
    const { id, url } = await client.startCrawl(site + '/', { delay: 30 });

    const { crawls } = await client.getActiveCrawls();
    const queue = await client.getQueueStatus();
    const concurrency = await client.getConcurrency();
    const is_cancelled = await client.cancelCrawl(id);
    const status = await client.getCrawlStatus(id);

    assert.match(id, uuid);
    assert.equal(url, `${api}/v2/crawl/${id}`);
    assert_sane_value(crawls);
    assert.deepEqual(crawls.map((crawl) => [crawl.id, crawl.url]), [[id, site + '/']]);
    assert_sane_value(queue);
    assert.ok(queue.jobsInQueue >= 1 && queue.maxConcurrency >= 1);
    assert.ok(concurrency.maxConcurrency >= 1);
    assert.equal(is_cancelled, true);
    assert.equal(status.status, 'cancelled');
    assert_patient(`/v2/crawl/${id}`, Date.now(), 1, 1);
    await assert.rejects(client.cancelCrawl(id), { status: 409 });
  });

  test(`a batch is cancelled ${with_key}`, limit, async () => {
    const urls = Array.from({ length: 40 }, (_, number) => `${site}/pages/${number + 1}.html`);
    const { id } = await client.startBatchScrape([...urls, 'http://127.0.0.1:1/']);

    const is_cancelled = await client.cancelBatchScrape(id);

    assert.equal(is_cancelled, true);
    assert.equal((await client.getBatchScrapeStatus(id)).status, 'cancelled');
  });

  test(`usage is plenty ${with_key}`, limit, async () => {
    const credits = await client.getCreditUsage();
    const tokens = await client.getTokenUsage();
    const history = [await client.getCreditUsageHistorical(), await client.getTokenUsageHistorical()];

    assert.ok(credits.remainingCredits > 1_000_000);
    assert.ok(tokens.remainingTokens > 1_000_000);
    for (const { periods } of history) assert.ok(Array.isArray(periods));
  });

  test(`a file is parsed ${with_key}`, limit, async () => {
    const data = '<!doctype html><title>Slate</title><h1>Slate</h1><p>Slate splits into thin plates.</p>';

    const document = await client.parse({ data, filename: 'slate.html', contentType: 'text/html' });

    assert_sane_value(document);
    assert.match(document.markdown, /^# Slate/);
    assert.equal(document.metadata.title, 'Slate');
  });

  test(`what cannot be done is said in a sentence ${with_key}`, limit, async () => {
    const refused = [
      [() => client.scrape(site + '/loop'), 500],
      [() => client.scrape('http://127.0.0.1:1/'), 500],
      [() => client.scrape('ftp://127.0.0.1/'), 400],
      [() => client.startCrawl(site + '/', { includePaths: ['('] }), 400],
      [() => client.getCrawlStatus('018f0000-0000-7000-8000-000000000000'), 404],
      [() => client.crawlParamsPreview(site + '/', 'only the news'), 400],
      [() => client.startAgent({ prompt: 'find it' }), 501],
    ];

    for (const [request, status] of refused) {
      const error = await request().then(assert.fail, (thrown) => thrown);
      assert.equal(error.status, status, error.message);
      assert_sane(error.message);
      assert.doesNotMatch(error.message, /^Request failed/);
    }
  });
}

