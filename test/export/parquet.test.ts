import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { createParquetEncoder } from '../../src/monitor/export/parquet.ts';
import type { ColumnKind, ExportColumn } from '../../src/store/export/export-columns.ts';
import type { CopiedRow } from '../../src/store/export/snapshot.ts';
import { decode, groupsOf } from './decode.ts';

const column = (name: string, kind: ColumnKind): ExportColumn => ({ name, kind, description: '' });
const COLUMNS = [column('id', 'id'), column('text', 'text')];

function encode(rows: readonly CopiedRow[], columns: readonly ExportColumn[] = COLUMNS): Uint8Array {
  const encoder = createParquetEncoder(columns);
  const pieces = [encoder.begin(), ...rows.map((row) => encoder.rows([row])), encoder.end()];
  return Buffer.concat(pieces);
}

it('closes a row group by row count', () => {
  const rows = Array.from({ length: 50_001 }, (_, n) => [String(n), null]);
  expect(groupsOf(encode(rows))).toEqual([50_000, 1]);
});

it('closes a row group earlier for long texts, which bounds memory', () => {
  const rows = Array.from({ length: 10 }, (_, n) => [String(n), 'x'.repeat(2_000_000)]);
  const groups = groupsOf(encode(rows));
  expect(groups.reduce((sum, one) => sum + one, 0)).toBe(10);
  expect(Math.max(...groups)).toBeLessThan(5);
});

it('distinguishes repeated, empty and null texts', async () => {
  const texts = [...Array.from({ length: 2_000 }, (_, n) => ['a', 'é🚢', '', null][n % 4] ?? null), 'last'];
  const bytes = encode(texts.map((text, n) => [String(n), text]));
  const read = await parquetReadObjects({ file: Uint8Array.from(bytes).buffer });
  expect(read.map((row) => row['text'])).toEqual(texts);
});

it('has lists as lists, ids as integers, and JSON as JSON', async () => {
  const columns = [
    column('id', 'id'),
    column('tags', 'texts'),
    column('links', 'ids'),
    column('markers', 'integers'),
    column('media', 'json'),
  ];
  const big = '9007199254740993';
  const bytes = encode(
    [
      [big, '["a","é🚢",""]', `["${big}","-1"]`, '[1,2]', `{"n": ${big}, "t": "é"}`],
      ['2', '[]', '[]', '[]', '[]'],
      [null, null, null, null, null],
      ['3', '["z"]', '["3"]', '[3]', '"text"'],
    ],
    columns,
  );
  expect(await decode('parquet', bytes)).toEqual([
    {
      id: BigInt(big),
      tags: ['a', 'é🚢', ''],
      links: [BigInt(big), -1n],
      markers: [1, 2],
      media: { n: Number(big), t: 'é' },
    },
    { id: 2n, tags: [], links: [], markers: [], media: [] },
    { id: null, tags: null, links: null, markers: null, media: null },
    { id: 3n, tags: ['z'], links: [3n], markers: [3], media: 'text' },
  ]);
  // Every digit of a number in JSON is in the file.
  const raw = await parquetReadObjects({
    file: Uint8Array.from(bytes).buffer,
    parsers: { jsonFromBytes: (json: Uint8Array) => new TextDecoder().decode(json) },
  });
  expect(raw[0]?.['media']).toBe(`{"n": ${big}, "t": "é"}`);
  const leaves = parquetMetadata(Uint8Array.from(bytes).buffer).schema.filter(
    ({ type }) => type !== undefined,
  );
  expect(
    leaves.map(({ type, converted_type: converted, logical_type: logical }) => [
      type,
      converted,
      logical?.type,
    ]),
  ).toEqual([
    ['INT64', undefined, undefined],
    ['BYTE_ARRAY', 'UTF8', 'STRING'],
    ['INT64', undefined, undefined],
    ['INT32', undefined, undefined],
    ['BYTE_ARRAY', 'JSON', 'JSON'],
  ]);
});
