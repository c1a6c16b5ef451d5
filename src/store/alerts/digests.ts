/** Stored digests: planned by the scan, composed once, and read. */
import type { Id, Pooled, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';
import type { digests, rules } from '../schema/alert-tables.ts';
import type { briefs } from '../schema/brief-tables.ts';
import { mayStart } from '../runs/run-leases.ts';

/** A rule whose digest is due, or whose next slot is not known yet. */
type DueDigestRule = Pick<typeof rules.$inferSelect, 'id' | 'slug' | 'tz' | 'digest_due_at'> & {
  digest: string;
};

/** @param limit of rules */
export async function listDueDigests(db: Queryable, now: Date, limit: number): Promise<Id[]> {
  return selectIds(
    db,
    statement`SELECT id FROM strandline.rules
     WHERE digest IS NOT NULL AND coalesce(digest_due_at <= ${now}, true) AND state = 'active' AND archived_at IS NULL
     ORDER BY digest_due_at LIMIT ${limit}`,
    'due_digests',
  );
}

/** Locks a rule whose digest is due. @returns null if another process has it, or it is due no more */
export async function lockDueDigest(tx: Transaction, id: Id, now: Date): Promise<DueDigestRule | null> {
  const { rows } = await execute<DueDigestRule>(
    tx,
    statement`SELECT id, slug, digest, tz, digest_due_at FROM strandline.rules
     WHERE id = ${id} AND digest IS NOT NULL AND coalesce(digest_due_at <= ${now}, true) AND state = 'active' AND archived_at IS NULL
     FOR UPDATE SKIP LOCKED`,
  );
  return rows[0] ?? null;
}

export async function setDigestDue(tx: Transaction, ruleId: Id, dueAt: Date): Promise<void> {
  await execute(tx, statement`UPDATE strandline.rules SET digest_due_at = ${dueAt} WHERE id = ${ruleId}`);
}

/** Plans a digest, once for a slot. @returns null if it is planned or composed already */
export async function insertPlannedDigest(
  tx: Transaction,
  { ruleId, dueAt, now }: { ruleId: Id; dueAt: Date; now: Date },
): Promise<Id | null> {
  const [id = null] = await selectIds(
    tx,
    statement`INSERT INTO strandline.digests (rule_id, due_at, created_at, state) VALUES (${ruleId}, ${dueAt}, ${now}, 'planned')
     ON CONFLICT DO NOTHING RETURNING id`,
  );
  return id;
}

/** Removes the digest of a slot, which nobody was sent. */
export async function removeDigest(tx: Transaction, ruleId: Id, dueAt: Date): Promise<void> {
  await execute(
    tx,
    statement`DELETE FROM strandline.digests WHERE rule_id = ${ruleId} AND due_at = ${dueAt}`,
  );
}

/** A planned digest, with its rule as it is now, and the end of the last digest that was sent. */
export type PlannedDigest = {
  id: Id;
  due_at: Date;
  created_at: Date;
  rule_id: Id;
  rule: string;
  rule_name: string;
  digest: string | null;
  tz: string;
  topic: string | null;
  search: string | null;
  is_muted: boolean;
  is_removed: boolean;
  /** Active channels of the rule. */
  channel_ids: Id[];
  last_until: Date | null;
  last_discovery: Id | null;
  /** Topics that the last digest left out because they were muted. */
  last_muted: { topic: string; topic_name: string }[] | null;
  /** The topic in scope; for a search, its topic; null: all. */
  topic_id: Id | null;
};

export async function listPlannedDigests({ pool }: Pooled): Promise<Id[]> {
  return selectIds(pool, statement`SELECT id FROM strandline.digests WHERE state = 'planned' ORDER BY id`);
}

/** Locks a planned digest. @returns null if another worker has it, or it is composed already */
export async function lockPlannedDigest(tx: Transaction, id: Id, now: Date): Promise<PlannedDigest | null> {
  const { rows } = await execute<PlannedDigest>(
    tx,
    statement`SELECT d.id, d.due_at, d.created_at, d.rule_id, r.slug AS rule, r.name AS rule_name, r.digest, r.tz,
       CASE WHEN r.search_id IS NULL THEN t.slug END AS topic, s.slug AS search,
       coalesce(r.muted_until > ${now}, false) AS is_muted, r.archived_at IS NOT NULL AS is_removed,
       ARRAY(SELECT c.id FROM strandline.rule_channels rc JOIN strandline.channels c ON c.id = rc.channel_id
         WHERE rc.rule_id = r.id AND c.state = 'active' AND c.archived_at IS NULL ORDER BY c.id) AS channel_ids,
       l.until_at AS last_until, l.last_discovery, l.muted AS last_muted, coalesce(r.topic_id, s.topic_id) AS topic_id
     FROM strandline.digests d JOIN strandline.rules r ON r.id = d.rule_id
     LEFT JOIN strandline.topics t ON t.id = r.topic_id
     LEFT JOIN strandline.searches s ON s.id = r.search_id
     LEFT JOIN LATERAL (
       SELECT until_at, last_discovery, value->'muted' AS muted FROM strandline.digests
       WHERE rule_id = r.id AND state = 'sent' ORDER BY due_at DESC LIMIT 1
     ) l ON true
     WHERE d.id = ${id} AND d.state = 'planned' FOR UPDATE OF d SKIP LOCKED`,
  );
  return rows[0] ?? null;
}

/** Whether runs of a scope are due and have not ended yet: their results belong to the digest. */
export async function hasRunsInProgress(
  tx: Queryable,
  { topic, search, now }: { topic: string | null; search: string | null; now: Date },
): Promise<boolean> {
  const rows = await rowsOf(
    tx,
    statement`SELECT FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id
     JOIN strandline.topics t ON t.id = s.topic_id
     WHERE r.status IN ('queued', 'running') AND coalesce(r.slot_at, r.created_at) <= ${now} AND ${mayStart(statement`${now}::timestamptz`)}
       AND (${topic}::text IS NULL OR t.slug = ${topic}) AND (${search}::text IS NULL OR s.slug = ${search}) LIMIT 1`,
  );
  return rows.length > 0;
}

/** Stores the value of a planned digest. @param kept why it is sent to nobody; null: it is sent */
export async function storeDigest(
  tx: Transaction,
  id: Id,
  {
    from,
    until,
    lastDiscovery,
    value,
    kept,
  }: {
    from: Date;
    until: Date;
    lastDiscovery: Id;
    value: object;
    kept: string | null;
  },
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.digests SET state = CASE WHEN ${kept}::text IS NULL THEN 'sent' ELSE 'kept' END, reason = ${kept}, from_at = ${from},
       until_at = ${until}, last_discovery = ${lastDiscovery}, value = ${JSON.stringify(value)} WHERE id = ${id}`,
  );
}

/** A message to a channel. Its body is composed when it is sent. @param delivery.dueAt when that is at the latest */
export async function insertDigestDelivery(
  tx: Transaction,
  delivery: { messageId: string; channelId: Id; ruleId: Id; digestId: Id; now: Date; dueAt: Date },
): Promise<void> {
  const { messageId, channelId, ruleId, digestId, now, dueAt } = delivery;
  await execute(
    tx,
    statement`INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, digest_id, state, created_at, next_attempt_at)
     VALUES (${messageId}, ${channelId}, ${ruleId}, ${digestId}, 'gathering', ${now}, ${dueAt})`,
  );
}

/** A digest as it is stored. `value`: as it was composed; `brief`: null if none was written. */
export type StoredDigest = Pick<typeof digests.$inferSelect, 'id' | 'due_at' | 'reason' | 'value'> & {
  brief: typeof briefs.$inferSelect.content;
  rule: string;
  rule_name: string;
  state: 'sent' | 'kept';
  from: Date;
  until: Date;
};

const SELECT_DIGESTS = statement`
SELECT d.id, r.slug AS rule, r.name AS rule_name, d.due_at, d.state, d.reason, d.from_at AS "from", d.until_at AS until, d.value, b.content AS brief
FROM strandline.digests d JOIN strandline.rules r ON r.id = d.rule_id LEFT JOIN strandline.briefs b ON b.digest_id = d.id WHERE d.state <> 'planned'`;

export async function findDigest(db: Queryable, id: Id): Promise<StoredDigest | null> {
  const { rows } = await execute<StoredDigest>(db, statement`${SELECT_DIGESTS} AND d.id = ${id}`);
  return rows[0] ?? null;
}

/** The digest of a message; null if the message is none. */
export async function findDeliveryDigest(tx: Queryable, deliveryId: Id): Promise<StoredDigest | null> {
  const { rows } = await execute<StoredDigest>(
    tx,
    statement`${SELECT_DIGESTS} AND d.id = (SELECT digest_id FROM strandline.deliveries WHERE id = ${deliveryId})`,
  );
  return rows[0] ?? null;
}

/** Newest first. @param filter.before only those with a smaller id */
export async function listDigests(
  { pool }: Pooled,
  filter: { rule?: string | undefined; before?: Id | undefined; limit: number },
): Promise<StoredDigest[]> {
  const { rule = null, before = null, limit } = filter;
  return rowsOf<StoredDigest>(
    pool,
    statement`${SELECT_DIGESTS}
        AND (${rule}::text IS NULL OR r.slug = ${rule}) AND (${before}::bigint IS NULL OR d.id < ${before})
      ORDER BY d.id DESC LIMIT ${limit}`,
    'list_digests',
  );
}
