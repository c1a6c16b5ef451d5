/** Writes channels. Reads for display are in `alert-queries.ts`, through the views. */
import { type Id, type Queryable, type Transaction, onlyRow } from '../db/database.ts';
import { execute, rowsOf, selectIds, type Statement, statement } from '../db/statement.ts';
import type { channels } from '../schema/alert-tables.ts';
import { LAST_DISCOVERY } from '../queries/discoveries.ts';
import type { ChannelState } from '../../model/alerts.ts';

/** A channel as it is stored. */
export type Channel = Pick<
  typeof channels.$inferSelect,
  | 'id'
  | 'slug'
  | 'kind'
  | 'settings'
  | 'sealed_settings'
  | 'target'
  | 'secrets'
  | 'former_until'
  | 'state'
  | 'state_reason'
  | 'cursor'
  | 'failures'
  | 'failing_since'
  | 'resting_until'
  | 'fence'
>;

/** Excludes removed channels. */
function selectChannels(db: Queryable, where: Statement): Promise<Channel[]> {
  return rowsOf(
    db,
    statement`SELECT id, slug, kind, settings, sealed_settings, target, secrets, former_until, state, state_reason, cursor, failures,
       failing_since, resting_until, fence
     FROM strandline.channels WHERE archived_at IS NULL AND ${where}`,
  );
}

/**
 * Locks the channel's row: serializes evaluation, sending and changes of a channel.
 * @returns null if it does not exist or is removed
 */
export async function lockChannel(tx: Transaction, id: Id): Promise<Channel | null> {
  return (await selectChannels(tx, statement`id = ${id} FOR UPDATE`))[0] ?? null;
}

export async function lockChannelNamed(tx: Transaction, slug: string): Promise<Channel | null> {
  return (await selectChannels(tx, statement`slug = ${slug} FOR UPDATE`))[0] ?? null;
}

/** Locks several channels by slug, in the order of their IDs to avoid deadlocks. */
export function lockChannels(tx: Transaction, slugs: readonly string[]): Promise<Channel[]> {
  return selectChannels(tx, statement`slug = ANY (${slugs}) ORDER BY id FOR UPDATE`);
}

export function lockRuleChannels(tx: Transaction, ruleId: Id): Promise<Channel[]> {
  const ofRule = statement`id IN (SELECT channel_id FROM strandline.rule_channels WHERE rule_id = ${ruleId})`;
  return selectChannels(tx, statement`${ofRule} ORDER BY id FOR UPDATE`);
}

/** Reads a channel without a lock. */
export async function findChannel(db: Queryable, slug: string): Promise<Channel | null> {
  return (await selectChannels(db, statement`slug = ${slug}`))[0] ?? null;
}

/** All channels, by slug. */
export function listChannels(db: Queryable): Promise<Channel[]> {
  return selectChannels(db, statement`true ORDER BY slug`);
}

/** All channels with sealed values, by slug. */
export function listSealedChannels(db: Queryable): Promise<Channel[]> {
  return selectChannels(
    db,
    statement`(cardinality(secrets) > 0 OR sealed_settings IS NOT NULL) ORDER BY slug`,
  );
}

/** Where a channel sends, as far as it is public; null if it does not exist or is removed. */
export async function findChannelTarget(
  db: Queryable,
  id: Id,
): Promise<Pick<Channel, 'kind' | 'target'> | null> {
  const { rows } = await execute<Pick<Channel, 'kind' | 'target'>>(
    db,
    statement`SELECT kind, target FROM strandline.channels WHERE id = ${id} AND archived_at IS NULL`,
  );
  return rows[0] ?? null;
}

/** Whether a channel works. */
export type ChannelHealth = Pick<
  Channel,
  'id' | 'slug' | 'state' | 'state_reason' | 'failures' | 'failing_since'
> & { state_since: Date };

/** Health of all channels that are not removed. */
export async function readChannelHealth(db: Queryable): Promise<ChannelHealth[]> {
  const { rows } = await db.query<ChannelHealth>(
    `SELECT id, slug, state, state_reason, state_since, failures, failing_since FROM strandline.channels
     WHERE archived_at IS NULL ORDER BY id`,
  );
  return rows;
}

export type StoredSettings = Pick<Channel, 'settings' | 'sealed_settings' | 'target'>;

/**
 * Settings are added separately, because they are sealed with the ID. @throws an error of Postgres that violates
 * `channels_slug_key` if the slug is taken
 */
export async function insertChannel(
  tx: Transaction,
  channel: Pick<Channel, 'slug' | 'kind' | 'cursor'> & { now: Date },
): Promise<Id> {
  const { slug, kind, cursor, now } = channel;
  const ids = await selectIds(
    tx,
    statement`INSERT INTO strandline.channels (slug, kind, settings, target, secrets, state, state_since, cursor, created_at)
      VALUES (${slug}, ${kind}, '{}', '', '{}', 'active', ${now}, ${cursor}, ${now})
      RETURNING id`,
  );
  return onlyRow(ids);
}

/** Changes the settings. A new destination resets failures, and ends the lease of a worker sending to the old one. */
export async function setSettings(
  tx: Transaction,
  id: Id,
  { settings, sealed_settings: sealed, target }: StoredSettings,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.channels
      SET settings = ${settings}, sealed_settings = ${sealed}, target = ${target}, fence = fence + 1, lease_until = NULL,
        failures = 0, failing_since = NULL, resting_until = NULL
      WHERE id = ${id}`,
  );
}

export async function setSecrets(
  tx: Transaction,
  id: Id,
  secrets: readonly string[],
  formerUntil: Date | null,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.channels SET secrets = ${secrets}, former_until = ${formerUntil} WHERE id = ${id}`,
  );
}

/** Changes the state. Resuming resets failures. @param change.cursor the new cursor, if it changes */
export async function setChannelState(
  tx: Transaction,
  id: Id,
  change: { state: ChannelState; reason?: string; cursor?: Id | null; now: Date },
): Promise<void> {
  const { state, reason = null, cursor = null, now } = change;
  const health =
    state === 'active' ? statement`, failures = 0, failing_since = NULL, resting_until = NULL` : statement``;
  await execute(
    tx,
    statement`UPDATE strandline.channels
      SET state = ${state}, state_reason = ${reason}, state_since = ${now}, cursor = coalesce(${cursor}, cursor)${health}
      WHERE id = ${id}`,
  );
}

/** Removes a channel with its settings and secrets. Keeps the public part of its destination, and its deliveries. */
export async function archiveChannel(tx: Transaction, id: Id, now: Date): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.channels SET archived_at = ${now}, secrets = '{}', former_until = NULL, lease_until = NULL,
        settings = '{}', sealed_settings = NULL
      WHERE id = ${id}`,
  );
  await execute(tx, statement`DELETE FROM strandline.rule_channels WHERE channel_id = ${id}`);
  await execute(tx, statement`DELETE FROM strandline.judgement_waits WHERE channel_id = ${id}`);
}

/** Active channels with discoveries to evaluate, or to be judged before that. */
export async function listChannelsBehind(db: Queryable): Promise<Id[]> {
  return selectIds(
    db,
    statement`SELECT id FROM strandline.channels WHERE state = 'active' AND archived_at IS NULL
      AND (cursor < (${LAST_DISCOVERY}) OR id IN (SELECT channel_id FROM strandline.judgement_waits)) ORDER BY id`,
    'channels_behind',
  );
}

export async function moveCursor(tx: Transaction, id: Id, cursor: Id): Promise<void> {
  await execute(tx, statement`UPDATE strandline.channels SET cursor = ${cursor} WHERE id = ${id}`);
}
