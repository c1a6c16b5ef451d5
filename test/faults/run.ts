/**
 * `npm run test:faults`: plays the fault table on both back ends in parallel, and prints the result of every row.
 * `-- --only F11,F50` some rows · `--backend redis` one back end · `--nemesis 10m --seed N --searches N` faults
 */
import { parseArgs } from 'node:util';
import { startVitest, type Reporter, type TestCase } from 'vitest/node';
import { parseInterval } from '../../src/monitor/schedule/schedule.ts';
import type { Choice } from './play.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    backend: { type: 'string' },
    nemesis: { type: 'string' },
    seed: { type: 'string' },
    searches: { type: 'string', default: '12' },
  },
});
const { only, backend, nemesis } = values;
if (backend !== undefined && backend !== 'postgres' && backend !== 'redis')
  throw new Error('--backend is postgres or redis');
const choice: Choice = {
  only: only === undefined ? null : only.split(',').map((id) => id.trim()),
  rows: 'all',
  backend: backend ?? null,
  nemesis:
    nemesis === undefined
      ? null
      : {
          ms: parseInterval(nemesis) * 1_000,
          seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed),
          searches: Number(values.searches),
        },
};
if (choice.nemesis !== null) print(`seed ${choice.nemesis.seed}`);

type Line = {
  row: string;
  backend: string;
  result: string;
  calls: string;
  lost: string;
  doubled: string;
  s: string;
};

const lines: Line[] = [];

/** One line per row as it ends, followed by its failed checks. */
const table: Reporter = {
  onTestCaseResult(played: TestCase) {
    const { state, errors = [] } = played.result();
    if (state === 'skipped') return;
    const { calls, lost, doubled } = played.meta().row ?? {};
    const line = {
      row: played.name,
      backend: played.parent.type === 'suite' && played.parent.name.includes('Redis') ? 'redis' : 'postgres',
      result: state === 'passed' ? 'holds' : 'BROKEN',
      calls: String(calls ?? '-'),
      lost: String(lost ?? '-'),
      doubled: String(doubled ?? '-'),
      s: ((played.diagnostic()?.duration ?? 0) / 1_000).toFixed(1),
    };
    lines.push(line);
    print(written(line));
    for (const error of errors) print(`    ${error.message.replaceAll('\n', '\n    ')}`);
  },
  onTestRunEnd() {
    print(`\n${written(HEAD)}`);
    for (const line of lines.toSorted((a, b) => a.row.localeCompare(b.row))) print(written(line));
    const broken = lines.filter(({ result }) => result === 'BROKEN').length;
    print(`\n${lines.length} rows played, ${broken} broken`);
  },
};

const HEAD: Line = {
  row: 'row',
  backend: 'back end',
  result: 'result',
  calls: 'calls',
  lost: 'lost',
  doubled: 'doubled',
  s: 'seconds',
};

function written({ row, backend: on, result, calls, lost, doubled, s }: Line): string {
  const counts = [calls, lost, doubled, s].map((count) => count.padStart(8)).join('');
  return `${on.padEnd(9)} ${result.padEnd(7)}${counts}  ${row}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const vitest = await startVitest('test', ['test/faults/on-'], {
  watch: false,
  reporters: [table],
  provide: { faults: choice },
});
await vitest.close();
if (lines.length === 0) {
  process.stderr.write('no row was played\n');
  process.exitCode = 1;
}
