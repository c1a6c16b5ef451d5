import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { createParquetEncoder } from '../../src/monitor/export/parquet.ts';
import type { ExportColumn } from '../../src/store/export/export-columns.ts';
import type { CopiedRow } from '../../src/store/export/snapshot.ts';
import { groupsOf } from './decode.ts';

const COLUMNS: readonly ExportColumn[] = [
  { name: 'id', kind: 'id', description: '' },
  { name: 'text', kind: 'text', description: '' },
];

function encode(rows: readonly CopiedRow[]): Uint8Array {
  const encoder = createParquetEncoder(COLUMNS);
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
