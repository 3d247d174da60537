// @mendable/firecrawl-js with pages that quarry shows to a browser: pictures, actions, and data of what is there then.
import { Firecrawl } from '@mendable/firecrawl-js';
import assert from 'node:assert/strict';
import test from 'node:test';
import { inflateSync } from 'node:zlib';
import { api, assert_sane_value, site } from './check.mjs';

const limit = { timeout: 60_000 };
const client = new Firecrawl({ apiKey: 'fc-some-key', apiUrl: api });
const form = site + '/browser/form.html';

// The size of a PNG, and its bytes unpacked.
async function picture_at(url) {
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
  const parts = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), pixels: inflateSync(Buffer.concat(parts)) };
}

test('a screenshot is an address at which the picture is', limit, async () => {
  const viewport = { width: 640, height: 480 };

  const document = await client.scrape(form, { formats: ['markdown', { type: 'screenshot', fullPage: false, viewport }] });

  assert_sane_value(document);
  const { width, height, pixels } = await picture_at(document.screenshot);
  assert.deepEqual({ width, height }, viewport);
  // Each line has its filter before its pixels: three bytes each, or four.
  assert.ok(pixels.length === height * (1 + width * 3) || pixels.length === height * (1 + width * 4));
  assert.match(document.markdown, /Order a stone/);
});

test('actions are done before the page is read, and give their results', limit, async () => {
  const actions = [
    { type: 'click', selector: '#stone' },
    { type: 'write', text: 'marble' },
    { type: 'click', selector: '#order' },
    { type: 'scrape' },
    { type: 'screenshot', fullPage: false },
    { type: 'executeJavascript', script: 'document.querySelectorAll("p").length' },
  ];

  const document = await client.scrape(form, { formats: ['markdown'], actions });

  assert_sane_value(document);
  assert.match(document.markdown, /You have ordered marble/);
  assert.equal(document.actions.scrapes.length, 1);
  assert.equal(document.actions.scrapes[0].url, form);
  assert.match(document.actions.scrapes[0].html, /You have ordered marble/);
  assert.deepEqual(document.actions.javascriptReturns, [{ type: 'number', value: 3 }]);
  assert.equal(document.actions.screenshots.length, 1);
  assert.equal((await picture_at(document.actions.screenshots[0])).width, 1280);
  assert.deepEqual(document.actions.pdfs, []);
});

test('data is that of the page after the actions', limit, async () => {
  const schema = { type: 'object', properties: { price: { type: 'integer' } }, required: ['price'] };
  const actions = [{ type: 'click', selector: '#order' }];

  const document = await client.scrape(form, { formats: [{ type: 'json', schema }], actions });

  assert.deepEqual(document.json, { price: 5 });
});

test('a batch has pictures, and pages that scripts build have words', limit, async () => {
  const job = await client.batchScrape([form, site + '/browser/app.html'], {
    options: { formats: ['markdown', 'screenshot'] },
    pollInterval: 1,
  });

  assert_sane_value(job);
  assert.equal(job.status, 'completed');
  assert.equal(job.data.length, 2);
  assert.ok(job.data.some((document) => /Slate splits into plates/.test(document.markdown)));
  for (const document of job.data) assert.equal((await picture_at(document.screenshot)).height, 800);
});

test('branding has the colours, fonts and logo that the page shows', limit, async () => {
  const document = await client.scrape(site + '/browser/brand.html', { formats: ['branding'] });

  assert_sane_value(document);
  const { branding } = document;
  assert.equal(branding.colorScheme, 'dark');
  assert.equal(branding.colors.primary, '#E65100');
  assert.equal(branding.colors.background, '#101418');
  assert.equal(branding.colors.link, '#4FC3F7');
  assert.deepEqual(branding.typography.fontFamilies, { primary: 'Lato', heading: 'Bitter' });
  assert.deepEqual(branding.components.buttonPrimary, {
    background: '#E65100',
    textColor: '#FFFFFF',
    borderRadius: '12px',
  });
  assert.equal(branding.images.favicon, site + '/favicon.svg');
  assert.equal(branding.logo, site + '/logo.svg');
});

test('what cannot be done is said in a sentence', limit, async () => {
  const error = await client
    .scrape(form, { actions: [{ type: 'click', selector: '#nowhere' }] })
    .then(assert.fail, (thrown) => thrown);

  assert.equal(error.status, 400);
  assert.match(error.message, /action 1 \(click\)/);
});
