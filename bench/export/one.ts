/** One export to one file, by itself: its memory is nobody else's. */
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { exportFiles } from '../../src/monitor/export/export-files.ts';
import { openTarget } from '../../src/monitor/export/export-target.ts';
import { FORMATS } from '../../src/monitor/export/row-encoders.ts';
import { openDatabase } from '../../src/store/db/database.ts';

const [url = '', named = '', file = ''] = process.argv.slice(2);
const format = FORMATS.find((one) => one === named);
if (format === undefined) throw new Error(`no format: ${named}`);
const db = openDatabase(url, { log: createLogger('silent') });
const before = performance.now();
const { written } = await exportFiles(
  { db, clock: systemClock, kind: 'real' },
  {
    resources: ['posts'],
    filter: {},
    encoding: { format },
    target: await openTarget(file, false),
  },
);
const seconds = (performance.now() - before) / 1_000;
await db.close();
process.send?.({
  seconds,
  // In kB on every system.
  peakMb: process.resourceUsage().maxRSS / 1_000,
  written: written[0]?.rows ?? 0,
});
process.disconnect();
