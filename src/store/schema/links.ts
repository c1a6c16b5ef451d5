import { boolean, index, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { instant, key, ref, strandline } from './schema.ts';

/** A link is its canonical address. */
export const links = strandline.table(
  'links',
  {
    id: key(),
    canonical: text().notNull(),
    site: text().notNull(),
    title: text(),
    snippet: text(),
    summary_description: text(),
    with_metadata: boolean(),
    published_at: instant(),
    first_seen_at: instant().notNull(),
    observed_at: instant().notNull(),
  },
  (t) => [unique('links_canonical_key').on(t.canonical), index('links_site').on(t.site)],
);

/** Every address as it was seen, so that a change of the canonical rules makes nothing new. */
export const link_addresses = strandline.table(
  'link_addresses',
  {
    address: text().notNull(),
    link_id: ref()
      .notNull()
      .references(() => links.id),
  },
  (t) => [primaryKey({ columns: [t.address] }), index('link_addresses_link').on(t.link_id)],
);
