/**
 * Mutes of a rule, of a topic in the messages of all rules, and of everything. Collection and evaluation go on: what is muted
 * gathers in a delivery of its own, which is sent when the mute ends.
 */
import type { MuteScope } from '../../model/alerts.ts';
import { type Id, onlyRow, type Pooled, type Queryable, type Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement, verbatim } from '../db/statement.ts';

/** What is muted now. */
export type Mutes = {
  /** Until when everything is muted; null: it is not. */
  all: Date | null;
  /** Until when topics are muted. */
  topics: ReadonlyMap<Id, Date>;
};

const ALL = statement`(SELECT value::timestamptz FROM strandline.facts WHERE name = 'alerts_muted_until')`;

/** @param now times up to it are over */
export async function readMutes(db: Queryable, now: Date): Promise<Mutes> {
  const { rows } = await execute<{ id: Id | null; until: Date }>(
    db,
    statement`SELECT NULL::bigint AS id, until FROM (SELECT ${ALL} AS until) a WHERE until > ${now}
      UNION ALL SELECT id, muted_until FROM strandline.topics WHERE muted_until > ${now}`,
    'mutes',
  );
  return {
    all: rows.find(({ id }) => id === null)?.until ?? null,
    topics: new Map(rows.flatMap(({ id, until }) => (id === null ? [] : [[id, until] as const]))),
  };
}

type MuteEnds = { all: Date | null; topic: Date | null; slug: string | null; name: string | null };

/** When mutes of these kinds end or ended: of everything, and of a topic, with its slug and name; null if there was none. */
export async function readMuteEnds(db: Queryable, topicId: Id | null): Promise<MuteEnds> {
  const { rows } = await execute<MuteEnds>(
    db,
    // One row, even if there is no such topic.
    statement`SELECT ${ALL} AS all, t.muted_until AS topic, t.slug, t.name FROM (SELECT) always LEFT JOIN strandline.topics t ON t.id = ${topicId}`,
  );
  return onlyRow(rows);
}

/** Sets the end of a mute; an end that is not in the future ends it. @returns the end that it had */
export async function setMute(
  tx: Transaction,
  { scope, id, until, now }: { scope: MuteScope; id: Id | null; until: Date; now: Date },
): Promise<Date | null> {
  const { rows } =
    scope === 'all'
      ? await execute<{ before: Date | null }>(
          tx,
          statement`WITH before AS (SELECT ${ALL} AS until), changed AS (
              INSERT INTO strandline.facts (name, value, at) VALUES ('alerts_muted_until', ${until}::timestamptz::text, ${now})
              ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at
            ) SELECT until AS before FROM before`,
        )
      : await execute<{ before: Date | null }>(
          tx,
          statement`UPDATE strandline.${verbatim(scope === 'rule' ? 'rules' : 'topics')} r SET muted_until = ${until}
            FROM (SELECT id, muted_until AS before FROM strandline.${verbatim(scope === 'rule' ? 'rules' : 'topics')} WHERE id = ${id}) o
            WHERE r.id = o.id RETURNING o.before`,
        );
  return rows[0]?.before ?? null;
}

/** A mute that has not ended, with the number of discoveries that it holds back. */
export type MuteRow = {
  scope: MuteScope;
  /** Slug of the rule or topic; null for everything. */
  slug: string | null;
  until: Date;
  held: number;
};

/**
 * Everything first, then topics and rules by slug. What several mutes hold back counts for that which holds it; discoveries
 * that a rule gathered before its mute count when it would have sent them.
 */
export async function listMutes({ pool }: Pooled, now: Date): Promise<MuteRow[]> {
  return rowsOf<MuteRow>(
    pool,
    statement`WITH held AS (
        SELECT d.rule_id, d.muted_topic_id, count(*)::int AS n
        FROM strandline.deliveries d JOIN strandline.delivery_discoveries x ON x.delivery_id = d.id
        WHERE d.muted AND d.state = 'gathering' GROUP BY 1, 2
      ), mutes AS (
        SELECT 1 AS place, 'all' AS scope, NULL AS slug, a.until,
          (SELECT sum(n) FROM held h JOIN strandline.rules r ON r.id = h.rule_id
           WHERE h.muted_topic_id IS NULL AND coalesce(r.muted_until, '-infinity') <= a.until) AS held
        FROM (SELECT ${ALL} AS until) a
        UNION ALL SELECT 2, 'topic', t.slug, t.muted_until, (SELECT sum(n) FROM held h WHERE h.muted_topic_id = t.id)
        FROM strandline.topics t WHERE t.archived_at IS NULL
        UNION ALL SELECT 3, 'rule', r.slug, r.muted_until,
          (SELECT sum(n) FROM held h WHERE h.rule_id = r.id AND h.muted_topic_id IS NULL AND r.muted_until > coalesce(${ALL}, '-infinity'))
        FROM strandline.rules r WHERE r.archived_at IS NULL
      )
      SELECT scope, slug, until, coalesce(held, 0)::int AS held FROM mutes WHERE until > ${now} ORDER BY place, slug`,
  );
}

/** Locks all channels, so that no message is being composed, in the order of their IDs. */
export function lockAllChannels(tx: Transaction): Promise<Id[]> {
  return selectIds(
    tx,
    statement`SELECT id FROM strandline.channels WHERE archived_at IS NULL ORDER BY id FOR UPDATE`,
  );
}
