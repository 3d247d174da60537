// What the scripts share: where the server and the site are, and what no client may show.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export const api = process.env.QUARRY_API;
export const site = process.env.QUARRY_SITE;
export const page_count = 131; // that the site has and robots.txt allows

// Words of a client that was given something it did not expect.
export function assert_sane(text) {
  for (const odd of ['undefined', 'NaN', '[object Object]']) assert.ok(!text.includes(odd), `"${odd}" in: ${text}`);
}

// The same for what a client returns: anywhere in it. A name without a value is the client's own habit.
export function assert_sane_value(value) {
  assert_sane(JSON.stringify(value, (_, inner) => (Number.isNaN(inner) ? 'NaN' : inner)));
}

// How often the server was asked: with this method, for a path that begins so. The last may not be written yet.
export function requests(method, path) {
  const log = readFileSync(process.env.QUARRY_LOG, 'utf8');
  assert.match(log, / method=GET path=\/readyz status=200 /);
  return log.split(` method=${method} path=${path}`).length - 1;
}

// A client that waits for a job asks once per interval, and for every page of documents once each time.
export function assert_patient(path, began, interval, pages) {
  const polls = 2 + Math.ceil((Date.now() - began) / 1000 / interval);
  const asked = requests('GET', path);
  assert.ok(asked <= polls * pages, `${asked} requests for ${path}, in ${polls} polls`);
}

// What the index is given is found soon after, not at once.
export async function until(happens) {
  for (let round = 0; round < 200; ++round) {
    const value = await happens();
    if (value) return value;
    await pause(50);
  }
  assert.fail('it has not happened in ten seconds');
}
