/** Completions, their claims, and discoveries, as the SQL contract shows them. */

import { CLAIM_ROLES } from '../../../model/enumerations.ts';
import { counter, instant, ref } from '../schema.ts';
import { defineView, id, ofSearch, ofTopicSearch, tally } from './analytics-schema.ts';
import { boolean, doublePrecision, integer, jsonb, text } from 'drizzle-orm/pg-core';

export const completionsView = defineView('completions', {
  id: id(),
  run_id: id(),
  ...ofSearch(),
  observed_at: instant().notNull(),
  changed: boolean().notNull(),
  summary: text(),
  microblog_summary: text(),
  discussion_board_summary: text(),
  news_forum_summary: text(),
  text_chunks: text().array(),
  completion_links: ref().array().notNull(),
  search_completion_links: ref().array().notNull(),
  miner_link_scores: jsonb(),
  warnings: jsonb().notNull(),
  claims: integer(),
  text: text(),
  previous_run_id: ref(),
  statements_new: integer(),
  statements_gone: integer(),
  statements_kept: integer(),
  citations_added: integer(),
  citations_removed: integer(),
  similarity: doublePrecision(),
  simulated: boolean().notNull(),
  statements_revised: integer(),
});

/** Citations of a claim; `cited_returned` is null if none is known. */
const cited = {
  cited_links: ref().array().notNull(),
  cited_urls: text().array().notNull(),
  cited_returned: boolean(),
  not_returned: ref().array().notNull(),
  unresolved: integer().array().notNull(),
};

export const claimsView = defineView('claims', {
  id: id(),
  ...ofSearch(),
  role: text({ enum: CLAIM_ROLES }).notNull(),
  text: text().notNull(),
  first_run_id: id(),
  first_seen_at: instant().notNull(),
  last_run_id: id(),
  last_seen_at: instant().notNull(),
  runs_seen: tally().notNull(),
  current: boolean().notNull(),
  ...cited,
});

export const completionClaimsView = defineView('completion_claims', {
  completion_id: id(),
  run_id: id(),
  ...ofSearch(),
  observed_at: instant().notNull(),
  role: text({ enum: CLAIM_ROLES }).notNull(),
  position: integer().notNull(),
  claim_id: id(),
  text: text().notNull(),
  ...cited,
  new: boolean().notNull(),
});

export const DISCOVERY_KINDS = ['post', 'link', 'completion', 'spike', 'trend', 'growth'] as const;

const discovery = {
  id: id(),
  at: instant().notNull(),
  kind: text({ enum: DISCOVERY_KINDS }).notNull(),
  baseline: boolean().notNull(),
  ...ofTopicSearch(),
  run_id: id(),
  post_id: ref(),
  link_id: ref(),
  completion_id: ref(),
  text: text(),
  url: text(),
  author_username: text(),
  created_at: instant(),
  like_count: counter(),
  repost_count: counter(),
  reply_count: counter(),
  view_count: counter(),
  spike_id: ref(),
  first_in_topic: boolean().notNull(),
  named_post_id: ref(),
  simulated: boolean().notNull(),
  trend_state_id: ref(),
};

export const discoveriesView = defineView('discoveries', discovery);

export const newTodayView = defineView('new_today', discovery);

const { at, kind, baseline, search_id, search, topic } = discovery;

export const discoveryTimesView = defineView('discovery_times', {
  at,
  kind,
  baseline,
  search_id,
  search,
  topic,
});
