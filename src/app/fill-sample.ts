/**
 * Simulates the finished fortnight of the sample like a demo, but smaller: two quiet topics in which something happened, and the
 * digest of a week, composed as if it were sent. Their searches then continue on their schedules.
 */
import { DAY, HOUR } from '../lib/time.ts';
import type { ActingContext, Context } from '../monitor/context.ts';
import { changeTogether } from '../monitor/held-changes.ts';
import { composePastDigest } from '../monitor/alerts/compose-digests.ts';
import { createRule } from '../monitor/alerts/manage-rules.ts';
import { SAMPLE_PAST } from '../monitor/topics/save-topic.ts';
import { matchTopic, TOPICS } from '../service/sandbox/built-in-topics.ts';
import { listPlantedBursts } from '../service/sandbox/planted-events.ts';
import { SANDBOX_SEED } from '../service/sandbox/sandbox-sources.ts';
import type { Topic } from '../service/sandbox/simulated-topic.ts';
import { findRule } from '../store/alerts/rule-rows.ts';
import { type Id, inTransaction } from '../store/db/database.ts';
import { removeFact } from '../store/db/facts.ts';
import { holdForPast, listHeldForPast, releaseFromPast } from '../store/topics/past-searches.ts';
import { createPastTopics, discardPastTopics, type PastTopic } from './past-topics.ts';
import { createPastContext, simulate } from './simulation.ts';

/** Slug prefix of its topics. */
export const SAMPLE = 'sample-';
const DAYS = 14;
const TOPICS_OF_SAMPLE = 2;
/** Posts on an average day: few enough for ten seconds. */
const POSTS_PER_DAY = { min: 20, max: 140 };
/** What is usual does not exceed the limit of a response. */
const EVERY = '3h';
const AI_EVERY = '1d';
/** Windows are news for six hours. */
const STEP_MS = 6 * HOUR;
/** A burst counts if days before it show what is usual, and hours after it show the burst. */
const DAYS_BEFORE = 4;
const HOURS_AFTER = 8;
const DIGEST = 'weekly-digest';

/**
 * Makes the past up to a time, and removes the fact that it is pending. What an earlier attempt left is deleted first.
 * @param to usually now
 */
export async function fillSamplePast(parts: Pick<Context, 'config' | 'db' | 'log'>, to: Date): Promise<void> {
  const actor = { kind: 'program', name: 'sample topic' } as const;
  const by = { ...createPastContext(parts, to), actor };
  await discardPastTopics(by, SAMPLE);
  const from = new Date(to.getTime() - DAYS * DAY);
  const topics = choosePastTopics(from, to);
  const digestAt = new Date(to.getTime() - (to.getTime() % DAY));
  let ruleId: Id | undefined;
  await simulate(parts, {
    from,
    to,
    stepMs: STEP_MS,
    prepare: async (past) => {
      ruleId = await ensureDigestRule({ ...past, actor }, digestAt);
      return createPastTopics(past, topics, by);
    },
    onDay: async (at, past) => {
      if (at.getTime() === digestAt.getTime() && ruleId !== undefined) await composeDigest(past, ruleId, at);
    },
  });
  await removeFact(parts.db.pool, SAMPLE_PAST);
}

/** Those with the most bursts that end in the past, and of these the quietest: their reports stand out, and take the least time. */
function choosePastTopics(from: Date, to: Date): PastTopic[] {
  return TOPICS.filter(
    ({ postsPerDay }) => postsPerDay >= POSTS_PER_DAY.min && postsPerDay <= POSTS_PER_DAY.max,
  )
    .map((topic) => ({ topic, bursts: countBursts(topic, from, to) }))
    .sort((a, b) => b.bursts - a.bursts || a.topic.postsPerDay - b.topic.postsPerDay)
    .slice(0, TOPICS_OF_SAMPLE)
    .map(({ topic: { slug, name, phrases } }, i) => ({
      slug: SAMPLE + slug,
      name,
      prompt: phrases[0] ?? name,
      every: EVERY,
      aiEvery: i === 0 ? AI_EVERY : null,
    }));
}

/** Slow bursts hide others. */
function countBursts({ phrases, name }: Topic, from: Date, to: Date): number {
  const topic = matchTopic(SANDBOX_SEED, phrases[0] ?? name);
  const bursts = listPlantedBursts(topic, from.getTime(), to.getTime() - HOURS_AFTER * HOUR);
  if (bursts.some(({ shape }) => shape === 'slow')) return 0;
  return bursts.filter(({ onset }) => onset >= from.getTime() + DAYS_BEFORE * DAY).length;
}

/** As it would be without a simulation, which keeps searches paused: that is committed by nobody. */
async function composeDigest(past: ActingContext, ruleId: Id, at: Date): Promise<void> {
  await changeTogether(past, async (ctx) => {
    const held = await inTransaction(ctx.db, async (tx) => {
      const ids = await listHeldForPast(tx);
      await releaseFromPast(
        tx,
        ids.map((searchId) => ({ searchId, at: new Date(at.getTime() + HOUR) })),
      );
      return ids;
    });
    await composePastDigest(ctx, ruleId, at);
    await inTransaction(ctx.db, (tx) => holdForPast(tx, held));
  });
}

/** A rule with a digest of everything, on the weekday of its slot, and without channels. */
async function ensureDigestRule(ctx: ActingContext, slot: Date): Promise<Id> {
  const existing = await findRule(ctx.db.pool, DIGEST);
  if (existing !== null) return existing.id;
  const digest = `0 0 * * ${slot.getUTCDay()}`;
  return (await createRule(ctx, { slug: DIGEST, name: 'Weekly digest', digest, channels: [] })).id;
}
