/** Writes rules. */
import { type Id, type Queryable, type Transaction, onlyRow } from '../db/database.ts';
import { execute, join, rowsOf, statement, verbatim } from '../db/statement.ts';
import type { rules } from '../schema/alert-tables.ts';

export type Rule = Pick<
  typeof rules.$inferSelect,
  'id' | 'slug' | 'state' | 'muted_until' | 'after' | (typeof SETTINGS)[number]
>;

/** What a person sets. To add a column, add it here and to the table. */
const SETTINGS = [
  'name',
  'topic_id',
  'search_id',
  'kinds',
  'filter',
  'growth',
  'cooldown_seconds',
  'digest',
  'tz',
  'quiet_hours',
  'max_per_day',
] as const;
export type RuleSettings = Pick<Rule, (typeof SETTINGS)[number]>;

const COLUMNS = verbatim(
  ['id', 'slug', 'state', 'muted_until', ...SETTINGS].map((name) => `r.${name}`).join(', '),
);
const SELECT_RULE = statement`SELECT ${COLUMNS}, r.after, r.created_at FROM strandline.rules r`;

/** Locks the rule's row. @returns null if it does not exist or is removed */
export async function lockRule(tx: Transaction, slug: string): Promise<Rule | null> {
  const { rows } = await execute<Rule>(
    tx,
    statement`${SELECT_RULE} WHERE r.slug = ${slug} AND r.archived_at IS NULL FOR UPDATE`,
  );
  return rows[0] ?? null;
}

/** Reads a rule without a lock. */
export async function findRule(db: Queryable, slug: string): Promise<(Rule & { created_at: Date }) | null> {
  const { rows } = await execute<Rule & { created_at: Date }>(
    db,
    statement`${SELECT_RULE} WHERE r.slug = ${slug} AND r.archived_at IS NULL`,
  );
  return rows[0] ?? null;
}

/** Active rules of a channel that report discoveries; each matches only those after its `after`. */
export async function listChannelRules(tx: Transaction, channelId: Id): Promise<Rule[]> {
  return rowsOf<Rule>(
    tx,
    statement`SELECT ${COLUMNS}, greatest(r.after, rc.after) AS after
      FROM strandline.rule_channels rc JOIN strandline.rules r ON r.id = rc.rule_id
      WHERE rc.channel_id = ${channelId} AND r.archived_at IS NULL AND r.state = 'active' AND r.digest IS NULL ORDER BY r.id`,
  );
}

/** The slugs of the topic or search in scope; neither: all. */
export async function readScopeSlugs(
  db: Queryable,
  { topic_id, search_id }: Pick<Rule, 'topic_id' | 'search_id'>,
): Promise<{ topic?: string; search?: string }> {
  const { rows } = await execute<{ topic: string | null; search: string | null }>(
    db,
    statement`SELECT (SELECT slug FROM strandline.topics WHERE id = ${topic_id}) AS topic,
      (SELECT slug FROM strandline.searches WHERE id = ${search_id}) AS search`,
  );
  const { topic, search } = onlyRow(rows);
  if (search !== null) return { search };
  return topic === null ? {} : { topic };
}

/** The filters of all rules, except removed ones. */
export async function listRuleFilters(db: Queryable): Promise<Pick<Rule, 'id' | 'slug' | 'filter'>[]> {
  const { rows } = await db.query<Pick<Rule, 'id' | 'slug' | 'filter'>>(
    `SELECT id, slug, filter FROM strandline.rules WHERE archived_at IS NULL AND filter <> '' ORDER BY id`,
  );
  return rows;
}

type NewRule = RuleSettings & Pick<Rule, 'slug' | 'after'>;

/** @throws an error of Postgres that violates `rules_slug_key` if the slug is taken */
export async function insertRule(tx: Transaction, rule: NewRule, now: Date): Promise<Id> {
  const { slug, after } = rule;
  const settings = SETTINGS.map((name) => statement`${rule[name]}`);
  const rows = await rowsOf<{ id: Id }>(
    tx,
    statement`INSERT INTO strandline.rules (slug, after, state, state_since, created_at, ${verbatim(SETTINGS.join(', '))})
      VALUES (${slug}, ${after}, 'active', ${now}, ${now}, ${join(settings, ', ')})
      RETURNING id`,
  );
  return onlyRow(rows).id;
}

/** The next slot of its digest is computed again. */
export async function updateRule(tx: Transaction, id: Id, settings: RuleSettings): Promise<void> {
  const changes = SETTINGS.map((name) => statement`${verbatim(name)} = ${settings[name]}`);
  await execute(
    tx,
    statement`UPDATE strandline.rules SET ${join(changes, ', ')}, digest_due_at = NULL WHERE id = ${id}`,
  );
}

/** @param after the rule applies to discoveries after this one; null: unchanged */
export async function setRuleState(
  tx: Transaction,
  id: Id,
  { state, after, now }: { state: Rule['state']; after: Id | null; now: Date },
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.rules
      SET state = ${state}, state_since = ${now}, after = coalesce(${after}, after), digest_due_at = NULL
      WHERE id = ${id}`,
  );
}

export async function archiveRule(tx: Transaction, id: Id, now: Date): Promise<void> {
  await execute(tx, statement`UPDATE strandline.rules SET archived_at = ${now} WHERE id = ${id}`);
}

/** Replaces the channels of a rule. A new channel is notified only of discoveries after `after`. */
export async function setRuleChannels(
  tx: Transaction,
  ruleId: Id,
  channelIds: readonly Id[],
  after: Id,
): Promise<void> {
  await execute(
    tx,
    statement`DELETE FROM strandline.rule_channels WHERE rule_id = ${ruleId} AND channel_id <> ALL (${channelIds})`,
  );
  await execute(
    tx,
    statement`INSERT INTO strandline.rule_channels (rule_id, channel_id, after)
      SELECT ${ruleId}, id, ${after} FROM unnest(${channelIds}::bigint[]) u(id)
      ON CONFLICT DO NOTHING`,
  );
}

export async function hasRuleChannels(tx: Transaction, ruleId: Id): Promise<boolean> {
  const { rows } = await execute(
    tx,
    statement`SELECT FROM strandline.rule_channels WHERE rule_id = ${ruleId} LIMIT 1`,
  );
  return rows.length > 0;
}
