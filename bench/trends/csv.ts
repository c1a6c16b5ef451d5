/** Series of counts as they lie in files. */
import { readFile, writeFile } from 'node:fs/promises';

/** One row: the time as it is written, the same in ms since 1970, and how many posts the time from then on holds. */
export type Row = { timestamp: string; at: number; value: string; posts: number };

/** @throws Error where a row is not `timestamp,value` or time does not go on */
export async function readSeries(file: string): Promise<Row[]> {
  const [head = '', ...lines] = (await readFile(file, 'utf8')).split(/\r?\n/);
  if (!/^timestamp,value\b/.test(head))
    throw new Error(`${file}: begins with "${head}", not with timestamp,value`);
  const rows: Row[] = [];
  for (const line of lines) {
    if (line === '') continue;
    const [timestamp = '', value = ''] = line.split(',');
    const at = Date.parse(`${timestamp.slice(0, 19).replace(' ', 'T')}Z`);
    const posts = Number(value);
    if (!(posts >= 0) || !(at >= (rows.at(-1)?.at ?? 0))) throw new Error(`${file}: cannot read "${line}"`);
    rows.push({ timestamp, at, value, posts: Math.round(posts) });
  }
  return rows;
}

/** @param told when a spike was told (ms): the first row at or after it is the alert */
export async function writeScores(
  file: string,
  rows: readonly Row[],
  told: readonly number[],
): Promise<void> {
  const alerts = new Set(told.map((time) => rows.findIndex((row) => row.at >= time)));
  const lines = rows.map(({ timestamp, value }, i) => `${timestamp},${value},${alerts.has(i) ? 1 : 0}`);
  await writeFile(file, `${['timestamp,value,anomaly_score', ...lines].join('\n')}\n`);
}
