/**
 * The rounds: each stores the same fresh posts by every way in turn, first new, then with all counters
 * changed, then unchanged: three looks of one search. Whoever went first in one round goes last in the next, so that what happens to
 * the machine meanwhile happens to all ways alike, and ratios are taken inside a round.
 */
import type { Database, Id } from '../src/store/db/database.ts';
import { type Figures, measure } from './measure.ts';
import { makeFindings } from './posts.ts';
import { START } from './stage.ts';
import type { Batch, Way } from './ways/way.ts';

export const CASES = ['new', 'changed', 'unchanged'] as const;
export type Case = (typeof CASES)[number];

/** A way with the searches that it stores for, see {@link searchesOf}; `counts` is false where it cannot tell what is new. */
export type Entrant = { way: Way; searchIds: readonly Id[]; counts: boolean };

export type Result = { way: string; case: Case; concurrency: number; round: number; figures: Figures };

/** A few statements are planned anew before a connection keeps its plan: rounds that are not counted. */
const WARM_UP_ROUNDS = 2;

/** How many searches a way needs: each looks three times, at first, at counters that changed, and at what it knows. */
export function searchesOf(options: {
  rounds: number;
  batches: number;
  concurrencies: readonly number[];
}): number {
  return (WARM_UP_ROUNDS + options.rounds) * options.batches * options.concurrencies.length;
}

export async function playRounds(
  db: Database,
  entrants: readonly Entrant[],
  options: {
    rounds: number;
    batch: number;
    batches: number;
    concurrencies: readonly number[];
  },
): Promise<Result[]> {
  const results: Result[] = [];
  let first = 0;
  for (let round = -WARM_UP_ROUNDS; round < options.rounds; round += 1) {
    for (const concurrency of options.concurrencies) {
      for (const [visit, name] of CASES.entries()) {
        const edition = name === 'new' ? 0 : 1;
        const findings = Array.from({ length: options.batches }, (_, i) =>
          makeFindings(first + i * options.batch, options.batch, edition),
        );
        // Time goes on: a response that is not the newest costs more.
        const at = new Date(START.getTime() + (first + visit) * 60_000);
        for (const { way, searchIds, counts } of rotated(entrants, round)) {
          const batches = findings.map(
            (one, i): Batch => ({ findings: one, searchId: idAt(searchIds, first / options.batch + i), at }),
          );
          const expected = name === 'new' ? options.batch : 0;
          const figures = await measure(db, way, batches, {
            concurrency,
            expected: counts ? expected : undefined,
          });
          if (round >= 0) results.push({ way: way.name, case: name, concurrency, round, figures });
        }
      }
      first += options.batches * options.batch;
    }
  }
  return results;
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const from = ((by % items.length) + items.length) % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}

function idAt(ids: readonly Id[], i: number): Id {
  const id = ids[i % ids.length];
  if (id === undefined) throw new Error('the benchmark has no searches');
  return id;
}
