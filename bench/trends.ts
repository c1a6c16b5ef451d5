/**
 * The detector on series of counts, through the store: docs/internals/trends.md says what is measured and what came out.
 *
 *   npm run -s bench:trends -- --data DIR --out OUT [--every 15]
 *
 * DIR holds CSV files `timestamp,value` (posts in the five minutes from then on, UTC), OUT gets a file of the same name for each,
 * `timestamp,value,anomaly_score`: 1 in the first row after a run that told a spike, else 0.
 */
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { MINUTE } from '../src/domain/time.ts';
import { openStage } from './stage.ts';
import { readSeries, writeScores } from './trends/csv.ts';
import { liveThrough } from './trends/live.ts';

/** Series at a time. */
const LANES = 2;

const { values } = parseArgs({
  options: { data: { type: 'string' }, out: { type: 'string' }, every: { type: 'string', default: '15' } },
});
const { data, out } = values;
const everyMs = Number(values.every) * MINUTE;
if (data === undefined || out === undefined || !(everyMs >= MINUTE))
  throw new Error('needs --data DIR, --out OUT, and --every in minutes, 1 or more');

const files = (await readdir(data)).filter((name) => name.endsWith('.csv')).sort();
if (files.length === 0) throw new Error(`no CSV files in ${data}`);
await mkdir(out, { recursive: true });
const stage = await openStage(LANES);
try {
  const waiting = [...files];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const rows = await readSeries(path.join(data, name));
        const { told, runs } = await liveThrough(stage.db, name, rows, everyMs);
        await writeScores(path.join(out, name), rows, told);
        process.stdout.write(`${name}: ${rows.length} rows, ${runs} runs, ${told.length} spikes\n`);
      }
    }),
  );
} finally {
  await stage.close();
}
