/** A history for dashboards: two topics over five days, simulated and then made real, and a paid search with failures over eighteen. */
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { changeTopic } from '../../src/monitor/topics/search-state.ts';
import { watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { simulate } from '../../src/app/simulation.ts';
import { NOON, newSearch, type Post, run } from '../store/live.ts';
import { makeReal } from '../real-data.ts';
import { json, type StubAnswer, type StubService, wirePost } from '../stub-service.ts';
import type { World } from '../world.ts';

const later = (from: Date, ms: number) => new Date(from.getTime() + ms);

/** All of it lies in between. */
export const FROM = new Date('2026-08-26T00:00:00Z');
export const TO = later(FROM, 18 * DAY + HOUR);
const SIMULATED_FROM = later(FROM, 13 * DAY);
const ENDED = later(FROM, 18 * DAY);
/** The simulated topics rest from here to there: longer than a run of theirs reaches back. */
export const PAUSED = { from: later(FROM, 14 * DAY), to: later(FROM, 15 * DAY) };

const FIRST_STORM = later(FROM, 2 * DAY);

const TOPICS = [
  { slug: 'cargo-bikes', text: 'cargo bikes', postsEvery: '1h', aiEvery: '12h' },
  { slug: 'seed-bank', text: 'seed bank', postsEvery: '6h', aiEvery: '1d' },
];

/** Lives it. The world's hosted service must be the stub. */
export async function seedHistory(world: World, stub: StubService): Promise<void> {
  await followFerry(world);
  await simulate(world.ctx, { from: SIMULATED_FROM, to: PAUSED.from, prepare: watchBoth });
  world.clock.set(PAUSED.from);
  for (const { slug } of TOPICS) await changeTopic(world.ctx, slug, 'pause');
  await simulate(world.ctx, { from: PAUSED.to, to: ENDED, prepare: resumeBoth });
  await makeReal(world.db);
  await payForTroubles(world, stub);
}

async function watchBoth(ctx: ActingContext): Promise<string[]> {
  for (const topic of TOPICS) await watchTopic(ctx, { ...topic, service: 'sandbox' });
  return TOPICS.flatMap(({ slug }) => [`${slug}-posts`, `${slug}-ai`]);
}

/** And a second search for the same links: now one has a link first, now the other. */
async function resumeBoth(ctx: ActingContext): Promise<string[]> {
  for (const { slug } of TOPICS) await changeTopic(ctx, slug, 'resume');
  await createSearch(ctx, {
    slug: 'bikes-again',
    topic: 'cargo-bikes',
    operation: 'ai',
    prompt: 'cargo bikes',
    service: 'sandbox',
    every: '9h',
  });
  return [...TOPICS.flatMap(({ slug }) => [`${slug}-posts`, `${slug}-ai`]), 'bikes-again'];
}

/** Eighteen days, twice a day: a post each time, and at the end a storm that brings a hashtag and a site. */
async function followFerry(world: World): Promise<void> {
  const search = await newSearch(world, 'ferry-posts', { topic: 'ferry', service: 'hosted', every: '12h' });
  const minutes = (at: Date) => (at.getTime() - NOON) / MINUTE;
  let last = 100;
  const post = (at: Date, storm: boolean): Post => ({
    id: String((last += 1)),
    text: `The ferry ${last}`,
    user: { id: String(last), username: `passenger${last}`, name: 'A passenger' },
    created_at: later(at, -HOUR).toISOString(),
    entities: storm
      ? {
          hashtags: [{ text: 'storm' }],
          urls: [{ url: 'https://t.example/1', expanded_url: `https://dock.example/${last}` }],
        }
      : {},
  });
  // The first answer is taken to be cut at its limit: it holds more than any other will.
  const before = Array.from({ length: 30 }, () => post(later(FROM, -3 * DAY), false));
  await run(world, search, minutes(FROM), before);
  for (let at = later(FROM, 12 * HOUR); at <= ENDED; at = later(at, 12 * HOUR)) {
    const storm = at > later(ENDED, -2 * DAY) || at.getTime() === FIRST_STORM.getTime();
    await run(
      world,
      search,
      minutes(at),
      Array.from({ length: storm ? 12 : 1 }, () => post(at, storm)),
    );
  }
}

/** At the end: a run that is paid, one that is paid with a counter that fell and a broken item, one that is refused. */
async function payForTroubles(world: World, stub: StubService): Promise<void> {
  const post = (likes: number) =>
    wirePost('1', { like_count: likes, created_at: later(ENDED, -HOUR).toISOString() });
  const answers = [
    billed(json({ miner_tweets: [post(40)] })),
    billed(json({ miner_tweets: [post(25), 'no post'] })),
    json({ detail: 'no such key' }, 401),
  ];
  for (const [i, answer] of answers.entries()) {
    world.clock.set(later(ENDED, (i + 1) * 15 * MINUTE));
    stub.answers(answer);
    await executeRun(world.ctx, (await insertManualRun(world.ctx, 'ferry-posts')).runId);
    await derivePending(world.ctx, { settleMs: null });
  }
}

function billed(answer: StubAnswer): StubAnswer {
  return (request, response) => {
    response.setHeader('X-Search-Cost-Usd', '0.004');
    return answer(request, response);
  };
}
