/**
 * Storing what an answer held, against other ways to do it, in one run on one database: docs/internals/performance.md
 * has the last figures. Never a timed test: it prints and fails on nothing.
 *
 *   npm run bench -- [--rounds 10] [--batch 100] [--history 10m]
 */
import { arch, cpus, platform } from 'node:os';
import { parseArgs } from 'node:util';
import { measureHistory } from './history.ts';
import { figuresTable, targetsTable } from './report.ts';
import { type Entrant, playRounds, searchesOf } from './rounds.ts';
import { furnish, openStage, type Stage } from './stage.ts';
import { copy } from './ways/copy.ts';
import { drizzle } from './ways/drizzle.ts';
import { naive } from './ways/naive.ts';
import { ours } from './ways/ours.ts';

const CONCURRENCIES = [1, 4];
/** Stored in each measurement, one by each of four lanes: long enough to be timed, short enough to alternate. */
const BATCHES = 4;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    batch: { type: 'string', default: '100' },
    history: { type: 'string' },
  },
});
const options = {
  rounds: count(values.rounds),
  batch: count(values.batch),
  batches: BATCHES,
  concurrencies: CONCURRENCIES,
};

const stage = await openStage(Math.max(...CONCURRENCIES));
try {
  print(
    `${options.rounds} rounds of ${BATCHES} batches of ${options.batch} posts; ${cpus().length} cores for client ` +
      `and server (${cpus()[0]?.model ?? 'unknown'}, ${platform()} ${arch()}), Node ${process.versions.node}, ` +
      `PostgreSQL ${stage.version} with fsync\n`,
  );
  const results = await playRounds(stage.db, await enter(stage), options);
  print(`${figuresTable(results)}\n`);
  print(`ours against the others, middle of the rounds' ratios:\n${targetsTable(results)}\n`);
  if (values.history !== undefined) print(await measureHistory(stage, count(values.history), options));
} finally {
  await stage.close();
}

async function enter({ db }: Stage): Promise<Entrant[]> {
  const entrants: Entrant[] = [];
  for (const make of [naive, drizzle, ours, copy]) {
    const { serviceId, searchIds } = await furnish(db, make.name, searchesOf(options));
    entrants.push({ way: await make(db, serviceId), searchIds, counts: make !== copy });
  }
  return entrants;
}

/** `250`, `20k`, `10m`. */
function count(text: string): number {
  const read = /^(\d{1,9})([km]?)$/.exec(text);
  const factor = { '': 1, k: 1_000, m: 1_000_000 }[read?.[2] ?? ''];
  const number = Number(read?.[1]) * (factor ?? Number.NaN);
  if (!(number > 0)) throw new Error(`not a number such as 15, 20k or 10m: ${text}`);
  return number;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
