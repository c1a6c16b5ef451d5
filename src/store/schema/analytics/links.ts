/** Links, who saw them and in which rank, as the SQL contract shows them. */
import { boolean, doublePrecision, integer, text } from 'drizzle-orm/pg-core';
import { KEY_LISTS, SOURCES } from '../../../contract/enumerations.ts';
import { instant, ref } from '../schema.ts';
import { analytics, id } from './schema.ts';

export const linksView = analytics
  .view('links', {
    id: id(),
    url: text().notNull(),
    site: text().notNull(),
    title: text(),
    snippet: text(),
    summary_description: text(),
    with_metadata: boolean(),
    published_at: instant(),
    first_seen_at: instant().notNull(),
    observed_at: instant().notNull(),
  })
  .existing();

export const linkSightingsView = analytics
  .view('link_sightings', {
    search_id: id(),
    search: text().notNull(),
    link_id: id(),
    first_run_id: id(),
    first_seen_at: instant().notNull(),
    source: text({ enum: SOURCES }).notNull(),
  })
  .existing();

export const keyItemsView = analytics
  .view('key_items', {
    completion_id: id(),
    run_id: id(),
    search_id: id(),
    list: text({ enum: KEY_LISTS }).notNull(),
    position: integer().notNull(),
    text: text().notNull(),
    url: text(),
    link_id: ref(),
  })
  .existing();

export const linkRanksView = analytics
  .view('link_ranks', {
    search_id: id(),
    search: text().notNull(),
    link_id: id(),
    url: text().notNull(),
    run_id: id(),
    observed_at: instant().notNull(),
    source: text({ enum: SOURCES }).notNull(),
    rank: integer().notNull(),
    place: integer().notNull(),
  })
  .existing();

export const linkSourcesView = analytics
  .view('link_sources', {
    link_id: id(),
    url: text().notNull(),
    site: text().notNull(),
    search_id: id(),
    search: text().notNull(),
    service: text().notNull(),
    source: text({ enum: SOURCES }).notNull(),
    first_run_id: id(),
    first_seen_at: instant().notNull(),
    baseline: boolean(),
    nth: integer().notNull(),
    searches: integer().notNull(),
    lead_seconds: doublePrecision(),
  })
  .existing();
