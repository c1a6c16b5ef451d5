/** Tables of judgements: whether what a topic found is what its goal asks for. */
import { boolean, check, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { instant, ref, strandline } from './schema.ts';

/**
 * A post or link of a topic with a goal, by its first discovery in the topic: judged, or not yet. Items of one story have one
 * verdict, which a language model gave for one of them.
 */
export const judgements = strandline.table(
  'judgements',
  {
    discovery_id: ref().notNull(),
    /** Of the goal it is judged by. Judgements by a former goal stay. */
    goal_hash: text().notNull(),
    topic_id: ref().notNull(),
    /** When the item was found. */
    found_at: instant().notNull(),
    /** Null: not judged. */
    relevant: boolean(),
    /** In a dozen words of the model; null if it gave none. */
    why: text(),
    judged_at: instant(),
    /** When the model is asked next; null: it is not. A pass that asks sets it to the end of its lease. */
    next_at: instant(),
    /** Responses without a verdict about it, and all requests that failed. */
    unusable: integer().notNull().default(0),
    failures: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.discovery_id, t.goal_hash] }),
    // For the judge, every few seconds.
    index('judgements_waiting').on(t.next_at).where(sql`${t.next_at} is not null`),
    index('judgements_topic').on(t.topic_id, t.goal_hash, t.discovery_id),
    check('judgements_judged', sql`(${t.relevant} is null) = (${t.judged_at} is null)`),
    check('judgements_asked', sql`${t.relevant} is null or ${t.next_at} is null`),
    check('judgements_why', sql`length(${t.why}) <= 200`),
  ],
);

/** Discoveries that rules of a channel pass by until they are judged, or until it is late (`hold-unjudged.ts`). */
export const judgement_waits = strandline.table(
  'judgement_waits',
  {
    channel_id: ref().notNull(),
    discovery_id: ref().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.channel_id, t.discovery_id] }),
    index('judgement_waits_discovery').on(t.discovery_id),
  ],
);
