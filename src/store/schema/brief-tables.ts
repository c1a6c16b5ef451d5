/** Tables of briefs: what a language model wrote over stored evidence. */
import { check, index, jsonb, primaryKey, text, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { Brief } from '../../model/value-shapes.ts';
import { BRIEF_KINDS, BRIEF_SOURCE_KINDS } from '../../model/closed-lists.ts';
import { instant, key, ref, strandline } from './schema.ts';

/** The brief of a digest, a spike or a topic: written, or not (yet). A topic has one, which is written again. */
export const briefs = strandline.table(
  'briefs',
  {
    id: key(),
    kind: text({ enum: BRIEF_KINDS }).notNull(),
    digest_id: ref(),
    spike_id: ref(),
    /** Of a spike: the search, and its topic. */
    search_id: ref(),
    topic_id: ref(),
    created_at: instant().notNull(),
    /** When the model is asked next; null: it is not. A pass that asks sets it to the end of its lease. */
    next_at: instant(),
    /** Hash of what the model read: the same is not read twice. */
    evidence: text(),
    /** Null: nothing was written, or nothing of it remained. */
    content: jsonb().$type<Brief>(),
    written_at: instant(),
  },
  (t) => [
    unique('briefs_digest').on(t.digest_id),
    unique('briefs_spike').on(t.spike_id),
    // For the page of a topic: its brief, and those of its spikes.
    index('briefs_topic').on(t.topic_id, t.written_at),
    uniqueIndex('briefs_one_of_topic').on(t.topic_id).where(sql`${t.kind} = 'topic'`),
    index('briefs_search').on(t.search_id),
    index('briefs_waiting').on(t.next_at).where(sql`${t.next_at} is not null`),
    check(
      'briefs_kind',
      sql`case ${t.kind} when 'digest' then ${t.digest_id} is not null and ${t.spike_id} is null and ${t.topic_id} is null
        when 'spike' then ${t.spike_id} is not null and ${t.search_id} is not null and ${t.topic_id} is not null and ${t.digest_id} is null
        when 'topic' then ${t.topic_id} is not null and ${t.spike_id} is null and ${t.digest_id} is null else false end`,
    ),
    check('briefs_written', sql`(${t.content} is null) = (${t.written_at} is null)`),
  ],
);

/** What a brief cites: without it, the brief goes. */
export const brief_sources = strandline.table(
  'brief_sources',
  {
    brief_id: ref()
      .notNull()
      .references(() => briefs.id, { onDelete: 'cascade' }),
    kind: text({ enum: BRIEF_SOURCE_KINDS }).notNull(),
    thing: ref().notNull(),
    /** The search that found it. */
    search_id: ref().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.brief_id, t.kind, t.thing] }),
    index('brief_sources_thing').on(t.thing, t.kind),
    index('brief_sources_search').on(t.search_id),
    check('brief_sources_kind', sql`${t.kind} in ('post', 'link', 'spike', 'claim')`),
  ],
);
