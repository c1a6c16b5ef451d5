/** Briefs that wait for a language model, and what it wrote. Without a model nothing waits: only its worker plans briefs. */
import { HOUR, MINUTE } from '../../lib/time.ts';
import type { BriefSourceKind } from '../../model/briefs.ts';
import type { Brief } from '../../model/value-shapes.ts';
import type { BRIEF_KINDS } from '../../model/closed-lists.ts';
import { type Id, type Pooled, type Queryable, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';

/** How long the messages of a digest wait for its brief; then they are sent without. */
export const MAX_BRIEF_WAIT_MS = 2 * MINUTE;
/** A spike that is older is not described any more. */
const MAX_SPIKE_AGE_MS = 6 * HOUR;
/** A pass that died lets another ask after this time. */
const LEASE_MS = 2 * MINUTE;

/** Lets a digest wait for a brief. The caller has written the digest. */
export async function queueDigestBrief(tx: Transaction, digestId: Id, now: Date): Promise<void> {
  await execute(
    tx,
    statement`INSERT INTO strandline.briefs (kind, digest_id, created_at, next_at) VALUES ('digest', ${digestId}, ${now}, ${now})`,
  );
}

/** Lets new spikes, and topics without a brief, wait for one. Spikes of one author or text say themselves what they are. */
export async function planBriefs({ pool }: Pooled, now: Date): Promise<void> {
  await execute(
    pool,
    statement`INSERT INTO strandline.briefs (kind, spike_id, search_id, topic_id, created_at, next_at)
      SELECT 'spike', k.id, k.search_id, s.topic_id, ${now}::timestamptz, ${now} FROM strandline.spikes k
      JOIN strandline.searches s ON s.id = k.search_id AND s.archived_at IS NULL
      WHERE k.at > ${new Date(now.getTime() - MAX_SPIKE_AGE_MS)} AND k.at <= ${now} AND k.only_by IS NULL
        AND NOT EXISTS (SELECT FROM strandline.briefs b WHERE b.spike_id = k.id)
      ON CONFLICT DO NOTHING`,
  );
  await execute(
    pool,
    statement`INSERT INTO strandline.briefs (kind, topic_id, created_at, next_at)
      SELECT 'topic', t.id, ${now}::timestamptz, ${now} FROM strandline.topics t
      WHERE t.archived_at IS NULL AND t.purged_at IS NULL
        AND NOT EXISTS (SELECT FROM strandline.briefs b WHERE b.topic_id = t.id AND b.kind = 'topic')
      ON CONFLICT DO NOTHING`,
  );
}

export type WaitingBrief = {
  id: Id;
  kind: (typeof BRIEF_KINDS)[number];
  digest_id: Id | null;
  spike_id: Id | null;
  topic_id: Id | null;
  /** Name and slug of the topic; null: of a digest. */
  topic_name: string | null;
  topic: string | null;
  created_at: Date;
  /** Hash of what it was written from last. */
  evidence: string | null;
};

/** Leases the next brief to write: briefs of digests first, because messages wait for them. Undefined: no brief waits. */
export async function takeBrief({ pool }: Pooled, now: Date): Promise<WaitingBrief | undefined> {
  const [row] = await rowsOf<WaitingBrief>(
    pool,
    statement`UPDATE strandline.briefs b SET next_at = ${new Date(now.getTime() + LEASE_MS)}
      FROM (
        SELECT w.id, t.name AS topic_name, t.slug AS topic FROM strandline.briefs w LEFT JOIN strandline.topics t ON t.id = w.topic_id
        WHERE w.next_at <= ${now} AND (t.id IS NULL OR t.archived_at IS NULL)
        ORDER BY w.kind, w.next_at LIMIT 1 FOR UPDATE OF w SKIP LOCKED
      ) n
      WHERE b.id = n.id
      RETURNING b.id, b.kind, b.digest_id, b.spike_id, b.topic_id, n.topic_name, n.topic, b.created_at, b.evidence`,
  );
  return row;
}

/** What a sentence cites. @property search slug of the search that found it */
export type CitedThing = { kind: BriefSourceKind; id: string; search: string };

/**
 * Writes a brief, unless something that it cites was erased since it was read. The caller keeps erasing out (`lockAgainstErasing`).
 * @param content null: nothing remained, and what was written before goes
 * @param nextAt when it is written again; null: never
 */
export async function storeBrief(
  tx: Transaction,
  id: Id,
  {
    content,
    cited,
    evidence,
    now,
    nextAt,
  }: {
    content: Brief | null;
    cited: readonly CitedThing[];
    evidence: string;
    now: Date;
    nextAt: Date | null;
  },
): Promise<void> {
  const things = writeRows(cited.map(({ kind, id: thing, search }) => ({ kind, thing, search })));
  const [{ missing } = { missing: 0 }] = await rowsOf<{ missing: number }>(
    tx,
    statement`SELECT count(*)::int AS missing FROM json_to_recordset(${things}::json) r(kind text, thing bigint, search text)
      WHERE NOT EXISTS (SELECT FROM strandline.searches WHERE slug = r.search AND purged_at IS NULL)
        OR NOT CASE r.kind WHEN 'post' THEN EXISTS (SELECT FROM strandline.posts WHERE id = r.thing)
          WHEN 'link' THEN EXISTS (SELECT FROM strandline.links WHERE id = r.thing)
          WHEN 'spike' THEN EXISTS (SELECT FROM strandline.spikes WHERE id = r.thing)
          ELSE EXISTS (SELECT FROM strandline.claims WHERE id = r.thing) END`,
  );
  const kept = missing === 0 ? content : null;
  await execute(tx, statement`DELETE FROM strandline.brief_sources WHERE brief_id = ${id}`);
  const written = await selectIds(
    tx,
    statement`UPDATE strandline.briefs SET content = ${kept === null ? null : JSON.stringify(kept)}::jsonb,
        written_at = ${kept === null ? null : now}, evidence = ${evidence}, next_at = ${nextAt} WHERE id = ${id} RETURNING id`,
  );
  if (written.length === 0 || kept === null) return;
  await execute(
    tx,
    statement`INSERT INTO strandline.brief_sources (brief_id, kind, thing, search_id)
      SELECT ${id}, r.kind, r.thing, s.id FROM json_to_recordset(${things}::json) r(kind text, thing bigint, search text)
      JOIN strandline.searches s ON s.slug = r.search`,
  );
}

/** Leaves a brief as it is. @param nextAt when the model is asked again; null: never */
export async function postponeBrief(db: Queryable, id: Id, nextAt: Date | null): Promise<void> {
  await execute(db, statement`UPDATE strandline.briefs SET next_at = ${nextAt} WHERE id = ${id}`);
}

/**
 * Lets the messages of a digest go that still wait for its brief.
 * @returns their channels
 */
export async function releaseDigest(
  db: Queryable,
  { digest_id, created_at }: Pick<WaitingBrief, 'digest_id' | 'created_at'>,
  now: Date,
): Promise<Id[]> {
  const until = new Date(created_at.getTime() + MAX_BRIEF_WAIT_MS);
  return selectIds(
    db,
    statement`UPDATE strandline.deliveries SET next_attempt_at = ${now}
      WHERE digest_id = ${digest_id} AND state = 'gathering' AND attempts = 0 AND next_attempt_at > ${now} AND next_attempt_at <= ${until}
      RETURNING channel_id AS id`,
  );
}
