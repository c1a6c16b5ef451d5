/** Briefs, as pages and replies show them. */
import { DAY } from '../../lib/time.ts';
import { Brief } from '../../model/value-shapes.ts';
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';

/** A topic's brief that is older says nothing about now: the model did not respond since. */
const MAX_AGE_MS = DAY;
/** Of the spikes of a topic, the newest written. */
const MAX_SPIKES = 100;

export type TopicBriefs = {
  /** Of its last day; null: none was written, or it is too old. */
  topic: Brief | null;
  /** By spike. */
  spikes: ReadonlyMap<Id, Brief>;
};

/** Where no language model is configured, and nothing is read. */
export const NO_BRIEFS: TopicBriefs = { topic: null, spikes: new Map() };

/** The briefs of a topic and of its spikes, in one read by an index. */
export async function readTopicBriefs({ pool }: Pooled, topicId: Id, now: Date): Promise<TopicBriefs> {
  const rows = await rowsOf<{ spike_id: Id | null; content: unknown; written_at: Date }>(
    pool,
    statement`SELECT spike_id, content, written_at FROM strandline.briefs
      WHERE topic_id = ${topicId} AND written_at IS NOT NULL ORDER BY written_at DESC LIMIT ${MAX_SPIKES + 1}`,
    'topic_briefs',
  );
  const own = rows.find(({ spike_id }) => spike_id === null);
  const isNew = own !== undefined && now.getTime() - own.written_at.getTime() < MAX_AGE_MS;
  return {
    topic: isNew ? Brief.parse(own.content) : null,
    spikes: new Map(
      rows.flatMap(({ spike_id, content }) => (spike_id === null ? [] : [[spike_id, Brief.parse(content)]])),
    ),
  };
}

export async function readSpikeBriefs({ pool }: Pooled, ids: readonly Id[]): Promise<ReadonlyMap<Id, Brief>> {
  if (ids.length === 0) return new Map();
  const rows = await rowsOf<{ spike_id: Id; content: unknown }>(
    pool,
    statement`SELECT spike_id, content FROM strandline.briefs WHERE spike_id = ANY (${ids}::bigint[]) AND content IS NOT NULL`,
    'spike_briefs',
  );
  return new Map(rows.map(({ spike_id, content }) => [spike_id, Brief.parse(content)]));
}
