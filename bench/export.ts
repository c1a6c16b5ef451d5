/**
 * Exports of many posts in each format: how fast, and how much memory at most. docs/internals/performance.md says what came
 * out. Each format is exported by a process of its own, whose memory is what the operating system says.
 *
 *   npm run -s bench:export -- [--rows 1000000] [--dir DIR]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { FORMATS } from '../src/monitor/export/row-encoders.ts';
import { fillPosts } from './export/fill.ts';
import { aligned } from './report.ts';
import { openStage } from './stage.ts';

const TARGET_MB = 300;

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, dir: { type: 'string', default: tmpdir() } },
});
const rows = Number(values.rows);
if (!Number.isInteger(rows) || rows < 1) throw new Error('--rows is a number of posts');

const stage = await openStage(2);
const folder = await mkdtemp(path.join(values.dir, 'strandline-export-'));
try {
  const { db, url } = await stage.addDatabase('exported');
  await fillPosts(db, rows);
  await stage.checkpoint();
  const lines: string[][] = [];
  for (const format of FORMATS) {
    const file = path.join(folder, `posts.${format}`);
    const { seconds, peakMb, written } = await exportInProcess(url, format, file);
    const mb = (await stat(file)).size / 1e6;
    if (written !== rows) throw new Error(`${format}: ${written} rows of ${rows}`);
    lines.push([
      format,
      seconds.toFixed(1),
      String(Math.round(rows / seconds)),
      mb.toFixed(0),
      peakMb.toFixed(0),
      peakMb < TARGET_MB ? '✓' : '✗',
    ]);
    await rm(file);
  }
  const head = ['format', 's', 'rows/s', 'MB', 'peak MB', `under ${TARGET_MB}`];
  process.stdout.write(
    `${rows} posts, Node ${process.versions.node}, PostgreSQL ${stage.version}\n${aligned([head, ...lines])}\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
  await stage.close();
}

type Measured = { seconds: number; peakMb: number; written: number };

async function exportInProcess(url: string, format: string, file: string): Promise<Measured> {
  const child = fork(new URL('./export/one.ts', import.meta.url), [url, format, file]);
  const ended = once(child, 'exit');
  const [measured] = (await Promise.race([once(child, 'message'), ended])) as [Measured | number | null]; // what one.ts sends
  if (typeof measured !== 'object' || measured === null) throw new Error(`${format}: the export failed`);
  await ended;
  return measured;
}
