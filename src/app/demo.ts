/**
 * The demo: sandbox topics with simulated past days, created by the same code that a monitor runs. Their searches then
 * continue on their schedules like any sandbox search.
 */
import { DAY } from '../lib/time.ts';
import { Refused } from '../model/errors.ts';
import type { ActingContext, Context } from '../monitor/context.ts';
import { insertCheckedSearch } from '../monitor/topics/save-search.ts';
import { checkSearch } from '../monitor/topics/search-definition.ts';
import { chooseService } from '../monitor/topics/service-choice.ts';
import { finishPurge, requestPurge } from '../monitor/topics/purge-topic.ts';
import { changeTopic } from '../monitor/topics/search-state.ts';
import type { Simulated } from './simulation.ts';
import { recordCreation, recordAudit } from '../store/access/audit-entries.ts';
import { type Database, inTransaction, openDatabase } from '../store/db/database.ts';
import { holdForPast } from '../store/topics/past-searches.ts';
import { listTopics } from '../store/topics/topics.ts';

/** Slug prefix of everything in the demo. */
export const DEMO = 'demo-';

/**
 * Sandbox subjects, with intervals at which what is usual does not exceed the limit of a response. The first one also has an AI search.
 */
const SUBJECTS = [
  { slug: 'night-trains', name: 'Night trains', text: 'night trains', every: '30m' },
  { slug: 'seed-bank', name: 'Seed bank', text: 'seed bank', every: '2h' },
  { slug: 'comet-tove', name: 'Comet Tove', text: 'comet tove', every: '30m' },
  { slug: 'museum-theft', name: 'Museum theft', text: 'museum theft', every: '2h' },
  { slug: 'wolf-return', name: 'Wolf return', text: 'wolf return', every: '1h' },
  { slug: 'tidal-power', name: 'Tidal power', text: 'tidal power', every: '2h' },
  { slug: 'airship-line', name: 'Airship line', text: 'airship line', every: '1h' },
  { slug: 'paper-phone', name: 'Paper phone', text: 'paper phone', every: '2h' },
] as const;
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
  const there = await listDemoTopics(ctx.db);
  if (there.length > 0)
    throw new Refused(
      'conflict',
      `a demo already exists (${there.join(', ')}). Delete it first: strandline demo --remove`,
    );
  const subjects = SUBJECTS.slice(0, topics);
  const taken = new Set((await listTopics(ctx.db.pool)).map(({ slug }) => slug));
  const mine = subjects.map(({ slug }) => DEMO + slug).filter((slug) => taken.has(slug));
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
          prepare: (simulated) => makeTopics(simulated, subjects, ctx),
          onRun: async (at) => {
            stopping?.throwIfAborted();
            await onRun?.(at);
          },
        },
      );
    } catch (error) {
      await discardDemo(ctx);
      throw error;
    }
  } finally {
    await db.close();
  }
}

/** @param by actor and time for the audit log: the topics are created now, although their history is in the past */
async function makeTopics(
  ctx: Context,
  subjects: readonly (typeof SUBJECTS)[number][],
  by: Pick<ActingContext, 'actor' | 'clock'>,
): Promise<readonly string[]> {
  const slugs: string[] = [];
  const service = await chooseService(ctx, 'sandbox');
  for (const [i, { slug, name, text, every }] of subjects.entries()) {
    const topic = { slug: DEMO + slug, name, sample: true };
    const searches = [
      checkSearch({ slug: `${topic.slug}-posts`, operation: 'microblog', prompt: text, every }),
      ...(i === 0
        ? [
            checkSearch({
              slug: `${topic.slug}-ai`,
              operation: 'ai',
              prompt: text,
              date_filter: 'PAST_2_DAYS',
              every: '6h',
            }),
          ]
        : []),
    ];
    await inTransaction(ctx.db, async (tx) => {
      const made = [];
      for (const search of searches)
        made.push((await insertCheckedSearch(ctx, tx, { checked: search, topic, service })).search.id);
      await holdForPast(tx, made);
      const changes = recordCreation({ name, searches: searches.map((search) => search.slug) });
      await recordAudit(tx, by, { action: 'topic.created', subject: topic.slug, changes });
    });
    slugs.push(...searches.map(({ slug: own }) => own));
  }
  return slugs;
}

/** Pauses the searches of the demo: no service simulates a world with another seed. */
export async function pauseDemo(ctx: ActingContext): Promise<void> {
  for (const slug of await listDemoTopics(ctx.db)) await changeTopic(ctx, slug, 'pause');
}

/** Purges what an interrupted simulation left. */
async function discardDemo(ctx: ActingContext): Promise<void> {
  const requested = [];
  for (const slug of await listDemoTopics(ctx.db))
    requested.push(await requestPurge(ctx, { kind: 'topic', slug }));
  for (const purge of requested) await finishPurge(ctx.db, purge);
}

/** Its topics, removed ones too. */
async function listDemoTopics({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ slug: string }>(
    'SELECT slug FROM strandline.topics WHERE sample AND starts_with(slug, $1) ORDER BY slug',
    [DEMO],
  );
  return rows.map(({ slug }) => slug);
}
