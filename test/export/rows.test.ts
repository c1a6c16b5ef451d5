import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Format, FORMATS, guardFormula } from '../../src/monitor/export/row-encoders.ts';
import { exportRows } from '../../src/monitor/export/export-rows.ts';
import { type Resource, RESOURCE_SOURCES, viewName } from '../../src/store/export/export-resources.ts';
import type { ExportFilter } from '../../src/store/export/export-select.ts';
import { makeWorld, type World } from '../world.ts';
import { asRead, asSaid, decode, type Row } from './decode.ts';
import { BIG, makeHistory, TEXTS } from './history.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  await makeHistory(world);
});
afterAll(() => world.close());

async function exported(
  resource: Resource,
  format: Format,
  filter: ExportFilter = {},
  options: { raw?: boolean; bom?: boolean } = {},
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of exportRows(world.ctx, resource, filter, { format, ...options }))
    pieces.push(piece);
  return Buffer.concat(pieces);
}

const idsOf = async (resource: Resource, filter: ExportFilter, name = 'id') =>
  (await decode('ndjson', await exported(resource, 'ndjson', filter))).map((row) => row[name]);

async function viewRows(resource: Resource): Promise<Row[]> {
  const { key } = RESOURCE_SOURCES[resource];
  const { rows } = await world.db.pool.query<Row>(
    `SELECT * FROM strandline_analytics.${viewName(resource)} ORDER BY ${key.join(', ')}`,
  );
  return rows;
}

/** Of which the history has rows; resources.test.ts has the others. */
const FILLED = ['posts', 'engagement', 'links', 'completions', 'discoveries', 'volume'] as const;

describe.each(FILLED)('%s', (resource) => {
  it.each(FORMATS)('is in %s what the view says, row for row, column for column', async (format) => {
    const rows = await viewRows(resource);
    expect(rows.length).toBeGreaterThan(0);
    const expected = rows.map((row) => asRead(format, row));
    const read = await decode(format, await exported(resource, format, {}, { raw: true }));
    expect(read.map((row, i) => asSaid(row, expected[i] ?? {}))).toEqual(expected);
    expect(Object.keys(read[0] ?? {})).toEqual(Object.keys(rows[0] ?? {}));
  });

  it.each(FORMATS)('is the same bytes as %s a second time', async (format) => {
    expect((await exported(resource, format)).equals(await exported(resource, format))).toBe(true);
  });

  it.each(FORMATS)('is a valid file as %s without rows', async (format) => {
    const bytes = await exported(resource, format, { until: new Date(0) });
    expect(await decode(format, bytes)).toEqual([]);
    if (format === 'csv') expect(bytes.toString()).toMatch(/^[a-z_,]+\r\n$/);
  });
});

describe('lossless values', () => {
  it('ids and counters keep every digit', async () => {
    const last = String(BIG + BigInt(TEXTS.length - 1));
    for (const format of ['csv', 'ndjson'] as const) {
      const text = (await exported('posts', format)).toString();
      expect(text).toContain(last);
    }
    expect((await exported('posts', 'ndjson')).toString()).toContain(`"like_count":${BIG}`);
  });

  it('empty text, unknown and zero are distinct', async () => {
    const csv = (await exported('posts', 'csv')).toString();
    const [, , line = ''] = csv.split('\r\n');
    expect(line).toMatch(/^9007199254740994,171,hosted,,,,"",,2026-11-21T00:01:00\.007Z,,/);
    const [unknown, zero] = await decode('ndjson', await exported('posts', 'ndjson'));
    expect([unknown?.['like_count'], zero?.['like_count']]).toEqual([null, 0]);
  });

  it('a line of NDJSON contains no line separators or terminal controls', async () => {
    const text = (await exported('posts', 'ndjson')).toString();
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/);
    expect(text.split('\n')).toHaveLength(TEXTS.length + 1);
  });
});

describe('CSV for spreadsheets', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ['\n=1', "'\n=1"],
    ['  =1', "'  =1"],
    ['\ufeff=1', "'\ufeff=1"],
    ['＝1', "'＝1"],
    ['－1', "'－1"],
    ["'=1", "''=1"],
    ['1=1', '1=1'],
    ['a-b', 'a-b'],
    ["'tis", "'tis"],
    ['', ''],
  ])('%j becomes %j', (text, guarded) => {
    expect(guardFormula(text)).toBe(guarded);
  });

  it('guards texts, leaves numbers alone, and every apostrophe can be removed again', async () => {
    const rows = await decode('csv', await exported('posts', 'csv'));
    const texts = rows.map((row) => (typeof row['text'] === 'string' ? row['text'] : ''));
    // What a spreadsheet evaluates begins with one of these, with or without leading blanks.
    expect(texts.filter((text) => /^\s*[=+\-@＝＋－＠]/.test(text))).toEqual([]);
    expect(texts.map((text) => (guardFormula(text) === text ? text : text.slice(1)))).toEqual(TEXTS);
    expect(rows.map((row) => row['id'])).toEqual(TEXTS.map((_text, n) => String(BIG + BigInt(n))));
  });

  it('begins with a byte order mark only on request', async () => {
    expect((await exported('links', 'csv')).subarray(0, 3).toString('hex')).not.toBe('efbbbf');
    expect((await exported('links', 'csv', {}, { bom: true })).subarray(0, 3).toString('hex')).toBe('efbbbf');
  });
});

describe('a filter', () => {
  const ids = (take: (n: number) => boolean) =>
    TEXTS.flatMap((_text, n) => (take(n) ? [String(BIG + BigInt(n))] : []));
  const last = TEXTS.length - 1;

  it('by searches includes what any of them sighted, each row once', async () => {
    expect(await idsOf('posts', { searches: ['ferry'] })).toEqual(ids((n) => n % 2 === 0 || n === last));
    expect(await idsOf('posts', { searches: ['ferry', 'tram'] })).toEqual(ids(() => true));
    expect(await idsOf('engagement', { searches: ['tram'] }, 'post_id')).toEqual(
      ids((n) => n % 2 === 1).flatMap((id) => [id, id]),
    );
    expect(await idsOf('links', { searches: ['ferry'] })).toEqual([]);
    expect(await idsOf('links', { searches: ['tram'] })).toHaveLength(2);
    expect(await idsOf('volume', { searches: ['tram'] }, 'posts')).toEqual([7]);
  });

  it('by topic and search includes only rows of both', async () => {
    expect(await idsOf('discoveries', { topic: 'tram' }, 'search')).toEqual(Array(10).fill('tram'));
    expect(await idsOf('discoveries', { topic: 'tram', searches: ['ferry'] })).toEqual([]);
  });

  it('by time includes the first moment and excludes the last; a post of unknown time goes by its first sighting', async () => {
    const since = new Date('2026-11-21T00:02:00.007Z');
    const until = new Date('2026-11-21T00:05:00.007Z');
    expect(await idsOf('posts', { since, until })).toEqual(ids((n) => n >= 2 && n < 5));
    expect(await idsOf('volume', { since: new Date('2026-11-21T01:00Z') }, 'search')).toEqual(['tram']);
  });

  it.each([
    [{ searches: ['ferry', 'nothing'] }, 'there is no search "nothing"'],
    [{ topic: "x'; drop table strandline.posts" }, 'there is no topic'],
  ])('refuses %j', async (filter, words) => {
    await expect(exported('posts', 'csv', { ...filter })).rejects.toThrow(words);
  });
});
