/** What was found for the first time, as the SQL contract shows it. */
import { boolean, text } from 'drizzle-orm/pg-core';
import { counter, instant, ref } from '../schema.ts';
import { analytics, id } from './schema.ts';

export const DISCOVERY_KINDS = ['post', 'link', 'completion', 'spike'] as const;

const discovery = {
  id: id(),
  at: instant().notNull(),
  kind: text({ enum: DISCOVERY_KINDS }).notNull(),
  baseline: boolean().notNull(),
  search_id: id(),
  search: text().notNull(),
  topic: text().notNull(),
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
};

export const discoveriesView = analytics.view('discoveries', discovery).existing();

export const newTodayView = analytics.view('new_today', discovery).existing();

const { at, kind, baseline, search_id, search, topic } = discovery;

export const discoveryTimesView = analytics
  .view('discovery_times', { at, kind, baseline, search_id, search, topic })
  .existing();
