/** Rules, channels and deliveries, as the SQL contract shows them. */
import { boolean, integer, text } from 'drizzle-orm/pg-core';
import {
  CHANNEL_STATES,
  DELIVERY_STATES,
  RULE_STATES,
  STORED_RULE_KINDS,
  SYSTEM_EVENT_KINDS,
  SYSTEM_EVENT_OUTCOMES,
  WAIT_REASONS,
} from '../../../model/alerts.ts';
import { DELIVERY_CODE_NAMES } from '../../alerts/delivery-rows.ts';
import { instant, ref } from '../schema.ts';
import { defineView, id, tally } from './analytics-schema.ts';

export const rulesView = defineView('rules', {
  id: id(),
  slug: text().notNull(),
  name: text().notNull(),
  topic: text(),
  search: text(),
  kinds: text({ enum: STORED_RULE_KINDS }).array().notNull(),
  filter: text().notNull(),
  cooldown_seconds: integer().notNull(),
  channels: text().array().notNull(),
  state: text({ enum: RULE_STATES }).notNull(),
  state_since: instant().notNull(),
  last_made_at: instant(),
  created_at: instant().notNull(),
  archived_at: instant(),
  quiet_hours: text(),
  tz: text().notNull(),
  max_per_day: integer(),
  muted_until: instant(),
  digest: text(),
  digest_due_at: instant(),
  growth: text().array().notNull(),
});

export const channelsView = defineView('channels', {
  id: id(),
  slug: text().notNull(),
  kind: text().notNull(),
  host: text().notNull(),
  state: text({ enum: CHANNEL_STATES }).notNull(),
  state_reason: text(),
  state_since: instant().notNull(),
  rules: tally().notNull(),
  judged_discovery_id: id(),
  waiting: tally().notNull(),
  dead: tally().notNull(),
  failures: integer().notNull(),
  failing_since: instant(),
  resting_until: instant(),
  last_delivered_at: instant(),
  rotating_until: instant(),
  created_at: instant().notNull(),
  archived_at: instant(),
});

export const deliveriesView = defineView('deliveries', {
  id: id(),
  message_id: text().notNull(),
  channel: text().notNull(),
  rule: text().notNull(),
  run_id: ref(),
  state: text({ enum: DELIVERY_STATES }).notNull(),
  reason: text(),
  discoveries: tally().notNull(),
  bytes: integer(),
  created_at: instant().notNull(),
  made_at: instant(),
  next_attempt_at: instant(),
  attempts: integer().notNull(),
  last_attempt_at: instant(),
  delivered_at: instant(),
  http_status: integer(),
  code: text({ enum: DELIVERY_CODE_NAMES }),
  channel_kind: text().notNull(),
  muted: boolean().notNull(),
  waits_for: text({ enum: WAIT_REASONS }),
  digest_id: ref(),
  system_events: tally().notNull(),
});

export const systemEventsView = defineView('system_events', {
  id: id(),
  kind: text({ enum: SYSTEM_EVENT_KINDS }).notNull(),
  subject: text().notNull(),
  search: text(),
  topic: text(),
  since: instant().notNull(),
  opened_at: instant().notNull(),
  clear_since: instant(),
  until: instant(),
  outcome: text({ enum: SYSTEM_EVENT_OUTCOMES }),
  reason: text(),
  advice: text(),
});
