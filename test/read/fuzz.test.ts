/**
 * Answers as no service should send them: recorded ones, bent and damaged. Whatever comes, it is read or refused with a
 * code, nothing keeps the event loop, and what is stored is whole.
 *
 * Two hundred each time; ten thousand by `npm run test:fuzz`, of a seed of their own. Each answer is that of its
 * number under the seed: FUZZ_SEED, FUZZ_FROM and FUZZ_ANSWERS bring back any one of them.
 */
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/model/enumerations.ts';
import { readErrorBody } from '../../src/protocol/error-body.ts';
import { createStreamReader } from '../../src/protocol/stream.ts';
import type { Cooperative } from '../../src/lib/cooperative.ts';
import { RunError } from '../../src/model/errors.ts';
import { parseResponseInSteps } from '../../src/monitor/parse/parse-response.ts';
import type { ParsedResults } from '../../src/model/parsed-results.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { type StubService, startStub } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { type Mutant, mutantOf } from './fuzz/mutate.ts';
import { outcomeOf } from './fuzz/outcome.ts';
import { chanceOf } from './fuzz/random.ts';

const { FUZZ_SEED, FUZZ_FROM, FUZZ_ANSWERS } = process.env;
const ANSWERS = Number(FUZZ_ANSWERS ?? 200);
const FROM = Number(FUZZ_FROM ?? 0);
const SEED = FUZZ_SEED === 'any' ? randomInt(2 ** 31) : Number(FUZZ_SEED ?? 20_261_121);
const MOST_MS = 200;
const numbers = Array.from({ length: ANSWERS }, (_, i) => FROM + i);
/** Every so manieth goes the whole way, through a service, a run and the database. */
const WHOLE_WAY = 6;

/** Does something for each, and says which one it was when it goes wrong. */
async function forEach(of: readonly number[], what: (n: number) => void | Promise<void>): Promise<void> {
  for (const n of of) {
    try {
      await what(n);
    } catch (error) {
      throw new Error(`answer ${n} of seed ${SEED}: FUZZ_SEED=${SEED} FUZZ_FROM=${n} FUZZ_ANSWERS=1`, {
        cause: error,
      });
    }
  }
}

test(
  `${ANSWERS} mutated responses, seed ${SEED}: parsed or refused without blocking the event loop`,
  async () => {
    const outcomes = new Map<string, number>();
    await forEach(numbers, (n) => {
      const mutant = mutantOf(SEED, n);
      const outcome = outcomeOf(() => readQuickly(mutant));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expectWords(mutant);
      expectStream(mutant, n);
    });
    const told = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${outcome} ${count}`);
    process.stdout.write(`seed ${SEED}, ${ANSWERS} answers: ${told.join(', ')}\n`);
    // Where nearly all were refused, or nearly none, little would have been tried.
    if (ANSWERS < 100) return;
    expect((outcomes.get('read') ?? 0) / ANSWERS).toBeGreaterThan(0.25);
    expect((outcomes.get('read') ?? 0) / ANSWERS).toBeLessThan(0.9);
  },
  60_000 + ANSWERS * 50,
);

/** Reads an answer, and looks how long each of its steps takes; what is slow by itself is slow each time. */
function readQuickly({ operation, body, contentType, dialect }: Mutant): ParsedResults {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; ; tries++) {
    const { end, longestMs } = timed(parseResponseInSteps({ operation, body, contentType, dialect }));
    least = Math.min(least, longestMs);
    if (least < MOST_MS || tries > 5) {
      expect(least).toBeLessThan(MOST_MS);
      return end();
    }
  }
}

function timed<T>(work: Cooperative<T>): { end: () => T; longestMs: number } {
  let longestMs = 0;
  for (;;) {
    const began = performance.now();
    try {
      const { done, value } = work.next();
      if (done === true) return { end: () => value, longestMs };
    } catch (error) {
      return {
        end: () => {
          throw error;
        },
        longestMs,
      };
    } finally {
      longestMs = Math.max(longestMs, performance.now() - began);
    }
  }
}

/** The same as the body of a refusal: words, and not many. */
function expectWords({ body }: Mutant): void {
  const { message } = readErrorBody(body.subarray(0, 65_536).toString('utf8'));
  expect(message?.length ?? 0).toBeLessThanOrEqual(2_000);
}

/** The same as a stream, in pieces of any size: it makes no difference to what is read. */
function expectStream({ body, dialect }: Mutant, n: number): void {
  const chance = chanceOf(SEED, -n);
  const [atOnce, inPieces] = [() => body.length, () => 1 + chance.below(body.length)].map((size) => {
    const reader = createStreamReader(dialect);
    try {
      for (let at = 0; at < body.length; ) {
        const end = at + size();
        reader.push(body.subarray(at, end));
        at = end;
      }
      reader.end();
    } catch (error) {
      if (error instanceof RunError && error.code === 'too_large') return 'too_large';
      throw error;
    }
    return { complete: reader.complete, error: reader.error, answer: reader.wireAnswer() };
  });
  expect(inPieces).toEqual(atOnce);
}

let stub: StubService;
const worlds = new Map<string, World>();
let mutant: Mutant;
beforeAll(async () => {
  stub = await startStub((_, response) => {
    response.writeHead(200, mutant.contentType === null ? {} : { 'content-type': mutant.contentType });
    response.end(mutant.body);
  });
  for (const names of ['named', 'neutral'] as const) {
    const env = { MAX_CALLS_PER_RUN: '1', CALLS_PER_DAY: '100000000' };
    const world = await makeWorld({ hosted: stub.url, names, env });
    worlds.set(names, world);
    for (const operation of ['ai', 'microblog'] as const)
      await createSearch(world.ctx, { slug: operation, operation, prompt: 'tide', every: '1h' });
  }
});
afterAll(async () => {
  for (const world of worlds.values()) await world.close();
  await stub.close();
});

test(
  `one in ${WHOLE_WAY} of them end to end: a run is stored in full or not at all`,
  async () => {
    await forEach(
      numbers.filter((n) => n % WHOLE_WAY === 0 || ANSWERS === 1),
      async (n) => {
        mutant = mutantOf(SEED, n);
        const world = worlds.get(mutant.dialect.name);
        if (world === undefined) throw new Error(`no world speaks ${mutant.dialect.name}`);
        const { ctx, clock } = world;
        clock.advance(1_000);
        const { runId } = await insertManualRun(ctx, mutant.operation);
        const report = await executeRun(ctx, runId);
        if (report?.status === 'succeeded') {
          const { operation, body, contentType, dialect } = mutant;
          const found = timed(parseResponseInSteps({ operation, body, contentType, dialect })).end();
          expect(report).toMatchObject({ posts: found.posts.length, links: found.links.length });
        } else {
          expect(report).toMatchObject({
            status: 'failed',
            code: expect.not.stringMatching(/internal|db_/) as string,
          });
        }
        await expectWhole(world, runId, mutant.operation);
      },
    );
  },
  60_000 + ANSWERS * 50,
);

/** What the tables say of a run, against what it says of itself. */
async function expectWhole(world: World, runId: bigint, operation: Operation): Promise<void> {
  const { rows } = await world.db.pool.query(
    `SELECT r.status, r.items_new,
       (SELECT count(*)::int FROM strandline.run_results WHERE run_id = r.id) AS results,
       (SELECT count(*)::int FROM strandline.run_results x, unnest(x.post_ids) p(id)
        WHERE x.run_id = r.id AND NOT EXISTS (SELECT FROM strandline.post_sightings s
          WHERE s.search_id = r.search_id AND s.post_id = p.id)) AS posts_unsighted,
       (SELECT count(*)::int FROM strandline.run_results x, unnest(x.link_ids) l(id)
        WHERE x.run_id = r.id AND NOT EXISTS (SELECT FROM strandline.link_sightings s
          WHERE s.search_id = r.search_id AND s.link_id = l.id)) AS links_unsighted,
       (SELECT count(*)::int FROM strandline.discoveries WHERE run_id = r.id AND kind <> 'completion') AS discoveries,
       (SELECT count(*)::int FROM strandline.completions WHERE run_id = r.id) AS completions,
       (SELECT count(*)::int FROM strandline.claims WHERE first_run_id = r.id) AS claims,
       (SELECT count(*)::int FROM strandline.post_sightings WHERE first_run_id = r.id)
         + (SELECT count(*)::int FROM strandline.link_sightings WHERE first_run_id = r.id) AS sightings
     FROM strandline.runs r WHERE r.id = $1`,
    [runId],
  );
  const nothing = { discoveries: 0, completions: 0, claims: 0, sightings: 0 };
  const expected =
    rows[0]?.status === 'succeeded'
      ? { results: 1, posts_unsighted: 0, links_unsighted: 0, discoveries: rows[0].items_new }
      : { status: 'failed', results: 0, ...nothing };
  expect(rows[0]).toMatchObject(expected);
  if (operation === 'microblog') expect(rows[0]).toMatchObject({ completions: 0, claims: 0 });
}
