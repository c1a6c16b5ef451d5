import { afterAll, expect, test } from 'vitest';
import { createServicePorts } from '../../src/app/service-ports.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createMemoryPageCache } from '../../src/service/sources/pages/memory-cache.ts';
import type { CachedPage } from '../../src/service/ports.ts';
import { openDatabase } from '../../src/store/db/database.ts';
import { freshDatabase } from '../database.ts';

const database = await freshDatabase();
const db = openDatabase(database.url, { log: createLogger('silent') });
const clock = steppedClock('2026-11-21T12:00:00.000Z');
afterAll(async () => {
  await db.close();
  await database.drop();
});

const { pages = createMemoryPageCache() } = createServicePorts(db, clock);
const page = (text: string, freshUntil = new Date('2026-11-21T13:00:00.000Z')): CachedPage => ({
  page: {
    title: 'Notices',
    author: 'Tove “the pen” Lind',
    language: 'da',
    publishedAt: null,
    paragraphs: [text, '港 🙂'],
  },
  validators: { 'if-none-match': '"1"' },
  freshUntil,
});
// Not the one in memory, whose rows nobody counts.
const count = async () => (await db.pool.query('SELECT FROM strandline.opened_pages')).rowCount;

test('a page is kept as it was read, by its address, for a day; the newest takes the place of an older one', async () => {
  await pages.write('https://a.example/1', page('The bridge is closed.'));
  await pages.write('https://a.example/2', page('The ferry sails.'));
  expect(await pages.read('https://a.example/1')).toEqual(page('The bridge is closed.'));
  expect(await pages.read('https://a.example/3')).toBeUndefined();
  clock.advance(HOUR);
  await Promise.all(['open', 'open', 'open'].map((text) => pages.write('https://a.example/1', page(text))));
  expect(await pages.read('https://a.example/1')).toEqual(page('open'));
  clock.advance(DAY - HOUR + 1);
  expect(await pages.read('https://a.example/1')).toEqual(page('open'));
  expect(await pages.read('https://a.example/2')).toBeUndefined();
  await pages.write('https://a.example/3', page('new'));
  expect(await count()).toBe(2);
});

test('one that another version stored is read again from its site', async () => {
  await pages.write('https://a.example/4', page('open'));
  await db.pool.query(`UPDATE strandline.opened_pages SET page = '{"text": 1}'`);
  expect(await pages.read('https://a.example/4')).toBeUndefined();
});

test('of too many, the oldest are deleted', async () => {
  await db.pool.query(
    `INSERT INTO strandline.opened_pages SELECT sha256(n::text::bytea), '{}', '{}', $1, $1::timestamptz - n * interval '1 second'
     FROM generate_series(1, 5100) AS n`,
    [clock.now()],
  );
  await pages.write('https://a.example/5', page('open'));
  expect(await count()).toBe(5_001);
});
