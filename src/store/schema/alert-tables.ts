/** Tables of channels, rules, deliveries and their discoveries, and of feeds. */

import {
  CHANNEL_STATES,
  DELIVERY_CODE_NAMES,
  RULE_STATES,
  STORED_RULE_KINDS,
  SYSTEM_EVENT_KINDS,
  SYSTEM_EVENT_OUTCOMES,
  WAIT_REASONS,
} from '../../model/alerts.ts';
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { instant, key, ownerName, ref, strandline } from './schema.ts';

/** Where messages are sent: settings, signing secrets, and the cursor in the feed. */
export const channels = strandline.table(
  'channels',
  {
    id: key(),
    slug: text().notNull(),
    kind: text().notNull(),
    /** By name, without secret ones. A URL may be secret nonetheless: no view shows it. */
    settings: jsonb().$type<Readonly<Record<string, string>>>().notNull(),
    /** The secret settings, sealed as one text: `v1:kid:...`. */
    sealed_settings: text(),
    /** Public part of the destination, such as a host. Kept when the channel is removed. */
    target: text().notNull(),
    /** Sealed, newest first: `v1:kid:...`. Two during a rotation; none once the channel is removed. */
    secrets: text().array().notNull(),
    /** Until when messages are also signed with the second secret. */
    former_until: instant(),
    state: text({ enum: CHANNEL_STATES }).notNull(),
    state_reason: text(),
    state_since: instant().notNull(),
    /** The last discovery evaluated for it. Does not advance while the channel is inactive. */
    cursor: ref().notNull(),
    /** Consecutive failed attempts, since when, and until when nothing is sent because of them. */
    failures: integer().notNull().default(0),
    failing_since: instant(),
    resting_until: instant(),
    last_delivered_at: instant(),
    /** One sender at a time: the holder of the highest fence, by the database's clock. */
    fence: integer().notNull().default(0),
    lease_until: instant(),
    owner: ownerName(),
    created_at: instant().notNull(),
    archived_at: instant(),
  },
  (t) => [
    uniqueIndex('channels_slug_key').on(t.slug).where(sql`${t.archived_at} is null`),
    check('channels_kind', sql`${t.kind} ~ '^[a-z][a-z0-9-]{0,62}$'`),
    check('channels_state', sql`${t.state} in ('active', 'paused', 'disabled')`),
    check('channels_slug', sql`${t.slug} ~ '^[a-z0-9][a-z0-9-]{0,62}$'`),
    check('channels_secrets', sql`cardinality(${t.secrets}) <= 2`),
  ],
);

/** What to report, and to which channels. */
export const rules = strandline.table(
  'rules',
  {
    id: key(),
    slug: text().notNull(),
    name: text().notNull(),
    /** One topic or one search; all if both are null. */
    topic_id: ref(),
    search_id: ref(),
    kinds: text({ enum: STORED_RULE_KINDS }).array().notNull(),
    /** Words that must or must not appear; empty: all. See `monitor/alerts/rule-filter.ts`. */
    filter: text().notNull(),
    /** Conditions of the kind `growth`, such as `likes>=1000`; empty: `unusual`. See `model/growth-condition.ts`. */
    growth: text().array().notNull().default([]),
    cooldown_seconds: integer().notNull(),
    /** Local times between which nothing is sent, such as `22:00-07:00`; null: none. */
    quiet_hours: text(),
    /** Time zone of the quiet hours, and of the day of the limit. */
    tz: text().notNull().default('UTC'),
    /** Messages a day and channel; null: no limit. */
    max_per_day: integer(),
    /** When it sends a digest, a cron expression in `tz`; null: it reports discoveries instead. */
    digest: text(),
    /** The next slot of its digest; null: to be computed. */
    digest_due_at: instant(),
    /** Until when its messages are held back. Stays when the mute has ended: the summary of what was held names it. */
    muted_until: instant(),
    state: text({ enum: RULE_STATES }).notNull(),
    state_since: instant().notNull(),
    /** Matches only discoveries after this discovery: the discoveries since the rule was created or resumed. */
    after: ref().notNull(),
    owner: ownerName(),
    created_at: instant().notNull(),
    archived_at: instant(),
  },
  (t) => [
    uniqueIndex('rules_slug_key').on(t.slug).where(sql`${t.archived_at} is null`),
    // The follower asks after each batch.
    index('rules_growth').on(t.id).where(sql`'growth' = any(${t.kinds}) and ${t.archived_at} is null`),
    check('rules_scope', sql`${t.topic_id} is null or ${t.search_id} is null`),
    check(
      'rules_kinds',
      sql`cardinality(${t.kinds}) > 0 and ${t.kinds} <@ array['post', 'link', 'spike', 'trend', 'answer', 'growth', 'name', 'system']`,
    ),
    check('rules_system', sql`(${t.kinds} = array['system']) = (${t.slug} = 'system')`),
    check('rules_cooldown', sql`${t.cooldown_seconds} >= 0`),
    check('rules_quiet_hours', sql`${t.quiet_hours} ~ '^[0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]$'`),
    check('rules_max_per_day', sql`${t.max_per_day} > 0`),
    // For the scan, twice a second.
    index('rules_digest').on(t.digest_due_at).where(sql`${t.digest} is not null`),
    check('rules_digest_due', sql`${t.digest_due_at} is null or ${t.digest} is not null`),
    check('rules_state', sql`${t.state} in ('active', 'paused')`),
    check('rules_slug', sql`${t.slug} ~ '^[a-z0-9][a-z0-9-]{0,62}$'`),
  ],
);

/** Channels of a rule, each with the discovery after which it is notified. */
export const rule_channels = strandline.table(
  'rule_channels',
  {
    rule_id: ref()
      .notNull()
      .references(() => rules.id),
    channel_id: ref()
      .notNull()
      .references(() => channels.id),
    after: ref().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.rule_id, t.channel_id] }),
    index('rule_channels_channel').on(t.channel_id),
  ],
);

/**
 * Digests of rules with a schedule, each with its value, so that past digests never change. The scan inserts them when they
 * are due (`monitor/schedule/plan-digests.ts`); a worker reads the value and creates their deliveries in one transaction.
 */
export const digests = strandline.table(
  'digests',
  {
    id: key(),
    rule_id: ref()
      .notNull()
      .references(() => rules.id),
    /** The slot of the digest. Missed slots share one digest, at the first of them. */
    due_at: instant().notNull(),
    created_at: instant().notNull(),
    /** `sent`: to at least one channel. `kept`: to nobody, with the reason; the next digest covers its span, too. */
    state: text().notNull(),
    reason: text(),
    /** The span; null while planned. */
    from_at: instant(),
    until_at: instant(),
    /** The last discovery that it covers: the next digest continues after it. */
    last_discovery: ref(),
    /** As the API returns it; null while planned. */
    value: jsonb(),
  },
  (t) => [
    // If two scans plan the same slot, the second insert conflicts.
    unique('digests_slot_key').on(t.rule_id, t.due_at),
    index('digests_planned').on(t.id).where(sql`${t.state} = 'planned'`),
    check('digests_state', sql`${t.state} in ('planned', 'sent', 'kept')`),
    check('digests_value', sql`(${t.state} = 'planned') = (${t.value} is null)`),
    check('digests_reason', sql`(${t.state} = 'kept') = (${t.reason} is not null)`),
  ],
);

/**
 * One message to one channel. While `gathering` it has no body, only its discoveries. The body is composed once, and
 * the ID never changes, even if the message is resent.
 */
export const deliveries = strandline.table(
  'deliveries',
  {
    id: key(),
    /** `msg_...`: identifies it to the receiver. */
    message_id: text().notNull(),
    channel_id: ref()
      .notNull()
      .references(() => channels.id),
    rule_id: ref()
      .notNull()
      .references(() => rules.id),
    /** The run of all its discoveries; null if there are several. */
    run_id: ref(),
    /** The digest that it is; null: it reports discoveries. */
    digest_id: ref().references(() => digests.id),
    state: text().notNull(),
    /** Why it is dead or cancelled. */
    reason: text(),
    /** The exact bytes sent; null until composed, after an author in it is forgotten, and after MESSAGE_DAYS. */
    body: text(),
    created_at: instant().notNull(),
    /** When its body was composed: cooldowns start here. */
    made_at: instant(),
    /** Null if there are no more attempts. */
    next_attempt_at: instant(),
    attempts: integer().notNull().default(0),
    last_attempt_at: instant(),
    delivered_at: instant(),
    /** Result of the last attempt. */
    http_status: integer(),
    code: text({ enum: DELIVERY_CODE_NAMES }),
    /** The beginning of the receiver's response, sanitized. No view shows it. */
    answer: text(),
    /** Recipients that accepted it although others did not: it is not sent to them again. No view shows it. */
    accepted_by: text().array().notNull().default([]),
    /** It sums up what a mute held back. */
    muted: boolean().notNull().default(false),
    /** The topic that was muted; null: its rule, or everything. */
    muted_topic_id: ref(),
    /** Why it was not sent at once (`WAIT_REASONS`); null if nothing held it back. */
    waits_for: text({ enum: WAIT_REASONS }),
  },
  (t) => [
    unique('deliveries_message_key').on(t.message_id),
    // For senders and the scan; and for the gathering message of a rule.
    index('deliveries_due')
      .on(t.channel_id, t.next_attempt_at)
      .where(sql`${t.state} in ('gathering', 'pending')`),
    index('deliveries_channel').on(t.channel_id, t.id),
    index('deliveries_rule').on(t.rule_id, t.channel_id, t.made_at),
    index('deliveries_dead').on(t.channel_id, t.id).where(sql`${t.state} = 'dead'`),
    index('deliveries_run').on(t.run_id),
    index('deliveries_digest').on(t.digest_id).where(sql`${t.digest_id} is not null`),
    check('deliveries_state', sql`${t.state} in ('gathering', 'pending', 'delivered', 'dead', 'cancelled')`),
    check('deliveries_body', sql`${t.state} <> 'pending' or ${t.body} is not null`),
    check(
      'deliveries_next',
      sql`(${t.state} in ('gathering', 'pending')) = (${t.next_attempt_at} is not null)`,
    ),
    check('deliveries_waits_for', sql`${t.waits_for} in ('cooldown', 'quiet_hours', 'limit', 'mute')`),
    check('deliveries_muted_topic', sql`${t.muted} or ${t.muted_topic_id} is null`),
  ],
);

/** Discoveries of each message. The key prevents duplicates, even if evaluated concurrently. */
export const delivery_discoveries = strandline.table(
  'delivery_discoveries',
  {
    rule_id: ref().notNull(),
    discovery_id: ref().notNull(),
    channel_id: ref().notNull(),
    delivery_id: ref()
      .notNull()
      .references(() => deliveries.id),
  },
  (t) => [
    primaryKey({ columns: [t.rule_id, t.discovery_id, t.channel_id] }),
    index('delivery_discoveries_delivery').on(t.delivery_id, t.discovery_id),
    index('delivery_discoveries_discovery').on(t.discovery_id),
  ],
);

/**
 * Problems of strandline itself, each from its beginning to its end. Only the check of `monitor/system-events/` writes them.
 * A problem that one check saw has a row, too, until a second check confirms it.
 */
export const system_events = strandline.table(
  'system_events',
  {
    id: key(),
    kind: text({ enum: SYSTEM_EVENT_KINDS }).notNull(),
    /** The subject of the event, unique within its kind: the id of a search or channel, the name of anything else. */
    subject_key: text().notNull(),
    /** Its name, as of the last check. */
    subject: text().notNull(),
    /** Purged with this search. */
    search_id: ref(),
    since: instant().notNull(),
    /** The first of the checks in a row that saw it. */
    noticed_at: instant().notNull(),
    /** When it was confirmed, and so can be reported; null before. */
    opened_at: instant(),
    /** The first of the checks in a row that did not see it any more; null: the last check saw it. */
    clear_since: instant(),
    until: instant(),
    outcome: text({ enum: SYSTEM_EVENT_OUTCOMES }),
    /** How often it had ended and begun again within a day: its next end takes longer to be believed. */
    recurrences: integer().notNull(),
    reason: text(),
    /** What a person can do. */
    advice: text(),
  },
  (t) => [
    uniqueIndex('system_events_open').on(t.kind, t.subject_key).where(sql`${t.until} is null`),
    index('system_events_until').on(t.until),
    check('system_events_ended', sql`(${t.until} is null) = (${t.outcome} is null)`),
    check('system_events_confirmed', sql`${t.until} is null or ${t.opened_at} is not null`),
  ],
);

/** What each message says of which problem. The key prevents that anything is reported twice, even by concurrent checks. */
export const delivery_events = strandline.table(
  'delivery_events',
  {
    rule_id: ref().notNull(),
    event_id: ref().notNull(),
    channel_id: ref().notNull(),
    part: text().notNull(),
    delivery_id: ref()
      .notNull()
      .references(() => deliveries.id),
  },
  (t) => [
    primaryKey({ columns: [t.rule_id, t.event_id, t.channel_id, t.part] }),
    index('delivery_events_delivery').on(t.delivery_id),
    index('delivery_events_event').on(t.event_id),
    check('delivery_events_part', sql`${t.part} in ('beginning', 'end')`),
  ],
);

/** What a feed reader may read: one feed, by an address with a key. */
export const feeds = strandline.table(
  'feeds',
  {
    id: key(),
    /** The public part of the key. */
    prefix: text().notNull(),
    /** SHA-256 of the whole key, which is in the address only. */
    hash: text().notNull(),
    name: text().notNull(),
    /** One topic or one search; all if both are null. */
    topic_id: ref(),
    search_id: ref(),
    /** Posts and links that match; empty: everything that is new. */
    query: text().notNull(),
    created_at: instant().notNull(),
    last_read_at: instant(),
    revoked_at: instant(),
  },
  (t) => [
    unique('feeds_prefix_key').on(t.prefix),
    check('feeds_scope', sql`${t.topic_id} is null or ${t.search_id} is null`),
  ],
);
