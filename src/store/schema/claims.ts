import { check, customType, index, integer, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { completions } from './findings.ts';
import { instant, key, ref, strandline } from './schema.ts';
import { searches } from './topics.ts';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A sentence that completions of a search say, once per text in which it stands, however often it is said. */
export const claims = strandline.table(
  'claims',
  {
    id: key(),
    search_id: ref()
      .notNull()
      .references(() => searches.id),
    /** The text of the completion: `summary`, `microblog_summary`, ... */
    role: text().notNull(),
    /** Of its words without regard to case and white space (`identityOf` in `monitor/read/claims.ts`). */
    identity: bytea().notNull(),
    /** As it was first kept, without its citation marks. */
    text: text().notNull(),
    /** Of the earliest completion that says it; an older answer that is read again later moves them back. */
    first_run_id: ref().notNull(),
    first_seen_at: instant().notNull(),
  },
  (t) => [
    unique('claims_identity_key').on(t.search_id, t.role, t.identity),
    index('claims_seen').on(t.search_id, t.first_seen_at),
    index('claims_first_run').on(t.first_run_id),
    check(
      'claims_role',
      sql`${t.role} in ('summary', 'microblog_summary', 'discussion_board_summary', 'news_forum_summary')`,
    ),
  ],
);

/** Which claims a completion makes, in order, and what it cites for each. */
export const completion_claims = strandline.table(
  'completion_claims',
  {
    completion_id: ref()
      .notNull()
      .references(() => completions.id, { onDelete: 'cascade' }),
    /** Over all texts of the completion, from 0. */
    position: integer().notNull(),
    claim_id: ref()
      .notNull()
      .references(() => claims.id, { onDelete: 'cascade' }),
    /** What it cites here, in order; and those of them that are no result of the answer. */
    link_ids: ref().array().notNull(),
    not_returned: ref().array().notNull(),
    /** Numbers that it cites and of which the answer does not say what they stand for. */
    unresolved: integer().array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.completion_id, t.position] }),
    index('completion_claims_claim').on(t.claim_id, t.completion_id),
  ],
);
