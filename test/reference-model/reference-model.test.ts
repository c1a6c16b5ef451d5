/**
 * Whatever order responses come and are saved in, the program states the facts and figures that a small independent model
 * computes from what services said. The model imports nothing of `store/`, and only public views are read, by the role that
 * can read nothing else. `MODEL_HISTORIES` draws more histories, `MODEL_SEED` others; `MODEL_SHRINK=no` stops at the first
 * that differs, and `MODEL_PATH` repeats it.
 *
 * The model holds for every order of saves of responses that know every member of their items; a text that only a late
 * response carried is no version. If less is promised, these are the places to change:
 * - a change that another search observed counts for each search with the post: `stateSearchGrowth`;
 * - a value at an age is between two results, at most half the age away: `reachAge`;
 * - a late response decides which search was the first of its topic: `countSightings`;
 * - a gain of a rising post is the sum of steps up: `sumGains`.
 */
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { startStub } from '../stub-service.ts';
import { stateAges } from './ages.ts';
import { readCoverage } from './coverage.ts';
import { stateFacts } from './fact-figures.ts';
import { readFacts } from './facts.ts';
import { stateGrowth } from './growth.ts';
import { type DrawnHistory, drawnHistory } from './histories.ts';
import { play } from './journey.ts';
import { type Erased, type Figures, type History, withoutErased } from './responses.ts';
import { listDifferences, readViews } from './views.ts';
import { stateVolume } from './volume.ts';

const stub = await startStub();
afterAll(() => stub.close());

const HISTORIES = Number(process.env['MODEL_HISTORIES'] ?? 12);
const SEED = Number(process.env['MODEL_SEED'] ?? 45);

let compared = 0;
let responses = 0;
let late = 0;

/** What is promised only until an author is forgotten: comparisons with other posts, of which some are gone. */
const WITHOUT_FORGOTTEN = new Set(['post_at_age', 'typical_at_age', 'rising_posts']);

function stateHistory(
  history: History,
  { erased, kind }: { erased: Erased; kind: DrawnHistory['kind'] },
): Figures {
  const left = withoutErased(history, erased);
  const facts = readFacts(left);
  // What was observed stays observed, and grown stays grown; posts of a forgotten author no longer count.
  const before = { ...history, searches: left.searches };
  const factsBefore = erased.author === null ? facts : readFacts(before);
  const coverage = readCoverage(factsBefore, before);
  const { search_growth_hourly, search_growth_daily } = stateGrowth(factsBefore, before);
  const figures: Figures = {
    ...stateFacts(facts, left),
    ...stateVolume(facts, left, coverage),
    ...stateGrowth(facts, left),
    ...stateAges(facts, coverage),
    search_growth_hourly,
    search_growth_daily,
  };
  return Object.fromEntries(
    Object.entries(figures).filter(
      ([name]) =>
        (erased.author === null || !WITHOUT_FORGOTTEN.has(name)) &&
        (kind === 'orderly' || name !== 'post_versions'),
    ),
  );
}

async function compare(drawn: DrawnHistory): Promise<void> {
  const played = await play(stub, drawn);
  const { history, erased, reader } = played;
  try {
    responses += history.responses.length;
    late += history.responses.filter(({ isLate }) => isLate).length;
    const expected = stateHistory(history, { erased, kind: drawn.kind });
    const actual = await readViews(reader, Object.keys(expected));
    compared += Object.values(expected).reduce((sum, rows) => sum + rows.size, 0);
    expect(listDifferences(expected, actual).slice(0, Number(process.env['MODEL_LINES'] ?? 20))).toEqual([]);
  } finally {
    await played.close();
  }
}

test('the program states what the model computes', async () => {
  await fc.assert(fc.asyncProperty(drawnHistory, compare), {
    numRuns: HISTORIES,
    seed: SEED,
    ...(process.env['MODEL_PATH'] === undefined ? {} : { path: process.env['MODEL_PATH'] }),
    interruptAfterTimeLimit: 900_000,
    markInterruptAsFailure: true,
    endOnFailure: process.env['MODEL_SHRINK'] === 'no',
  });
  expect(responses, 'responses of the default histories').toBeGreaterThan(20 * HISTORIES);
  expect(late, 'of them late').toBeGreaterThan(HISTORIES);
  expect(compared, 'rows that were compared').toBeGreaterThan(300 * HISTORIES);
}, 1_000_000);
