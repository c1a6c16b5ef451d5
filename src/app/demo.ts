/**
 * The demo: sandbox topics with simulated past days, created by the same code that a monitor runs. Their searches then
 * continue on their schedules like any sandbox search.
 */
import { DAY } from '../lib/time.ts';
import { Refused } from '../model/errors.ts';
import type { ActingContext } from '../monitor/context.ts';
import { changeTopic } from '../monitor/topics/search-state.ts';
import { createPastTopics, discardPastTopics, listPastTopics, type PastTopic } from './past-topics.ts';
import type { Simulated } from './simulation.ts';
import { openDatabase } from '../store/db/database.ts';
import { listTopics } from '../store/topics/topics.ts';

/** Slug prefix of everything in the demo. */
export const DEMO = 'demo-';

/**
 * Sandbox subjects, with intervals at which what is usual does not exceed the limit of a response.
 */
const SUBJECTS: readonly PastTopic[] = [
  { slug: 'night-trains', name: 'Night trains', prompt: 'night trains', every: '30m', aiEvery: '6h' },
  { slug: 'seed-bank', name: 'Seed bank', prompt: 'seed bank', every: '2h', aiEvery: null },
  { slug: 'comet-tove', name: 'Comet Tove', prompt: 'comet tove', every: '30m', aiEvery: null },
  { slug: 'museum-theft', name: 'Museum theft', prompt: 'museum theft', every: '2h', aiEvery: null },
  { slug: 'wolf-return', name: 'Wolf return', prompt: 'wolf return', every: '1h', aiEvery: null },
  { slug: 'tidal-power', name: 'Tidal power', prompt: 'tidal power', every: '2h', aiEvery: null },
  { slug: 'airship-line', name: 'Airship line', prompt: 'airship line', every: '1h', aiEvery: null },
  { slug: 'paper-phone', name: 'Paper phone', prompt: 'paper phone', every: '2h', aiEvery: null },
];
export const MAX_DEMO_TOPICS = SUBJECTS.length;

export type DemoOptions = {
  days: number;
  /** Number of topics, at most {@link MAX_DEMO_TOPICS}. */
  topics: number;
  /** Another world than the sandbox's default. Its searches are paused afterwards: no service simulates it. */
  seed?: string | undefined;
  /** End of the simulated time; usually now. */
  to: Date;
  stopping?: AbortSignal | undefined;
  /** Called after each simulated run. */
  onRun?: (at: Date) => void | Promise<void>;
};

/**
 * Simulates the past days of some topics while workers keep running. Removes the demo if it fails or is interrupted.
 * @param databaseUrl URL of `ctx.db`
 * @throws Refused `conflict` if a demo exists
 */
export async function fillDemo(
  ctx: ActingContext,
  databaseUrl: string,
  options: DemoOptions,
): Promise<Simulated> {
  const { days, topics, seed, to, stopping, onRun } = options;
  const there = await listPastTopics(ctx.db, DEMO);
  if (there.length > 0)
    throw new Refused(
      'conflict',
      `a demo already exists (${there.join(', ')}). Delete it first: strandline demo --remove`,
    );
  const subjects = SUBJECTS.slice(0, topics).map(({ slug, ...subject }) => ({
    ...subject,
    slug: DEMO + slug,
  }));
  const taken = new Set((await listTopics(ctx.db.pool)).map(({ slug }) => slug));
  const mine = subjects.map(({ slug }) => slug).filter((slug) => taken.has(slug));
  if (mine.length > 0)
    throw new Refused('conflict', `${mine.join(', ')} already exists and is not part of a demo`);

  const { simulate } = await import('./simulation.ts'); // the service with it, which no other command needs
  const db = openDatabase(databaseUrl, { log: ctx.log, name: 'strandline demo', lossy: true });
  try {
    try {
      return await simulate(
        { config: ctx.config, db, log: ctx.log },
        {
          from: new Date(to.getTime() - days * DAY),
          to,
          seed,
          prepare: (past) => createPastTopics(past, subjects, ctx),
          onRun: async (at) => {
            stopping?.throwIfAborted();
            await onRun?.(at);
          },
        },
      );
    } catch (error) {
      await discardPastTopics(ctx, DEMO);
      throw error;
    }
  } finally {
    await db.close();
  }
}

/** Pauses the searches of the demo: no service simulates a world with another seed. */
export async function pauseDemo(ctx: ActingContext): Promise<void> {
  for (const slug of await listPastTopics(ctx.db, DEMO)) await changeTopic(ctx, slug, 'pause');
}
