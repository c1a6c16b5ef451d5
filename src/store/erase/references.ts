/**
 * References between tables: each column that contains keys of another table, and what happens to its row when the referenced row
 * is erased. Purge, forgetting and retention follow this table, and a test compares it with the database's catalog
 * (`test/store/references.test.ts`): a table or a column that is not here fails it.
 */

/** Tables whose rows others refer to. */
export type Referred =
  | 'topics'
  | 'topic_names'
  | 'searches'
  | 'runs'
  | 'completions'
  | 'claims'
  | 'posts'
  | 'links'
  | 'authors'
  | 'discoveries'
  | 'growth_reports'
  | 'spikes'
  | 'trend_states'
  | 'name_changes'
  | 'rules'
  | 'briefs'
  | 'digests'
  | 'deliveries'
  | 'system_events'
  | 'services'
  | 'channels'
  | 'tokens';

export type Reference = {
  to: Referred;
  /**
   * What becomes of the row:
   * - `goes`: it is deleted first.
   * - `cascades`: Postgres deletes it, or clears the column.
   * - `clears`: columns become null.
   * - `shortens`: the keys leave the list.
   * - `follows`: nothing is done for this column. Another column of the row deletes the row, no later than the row that this
   *   column refers to.
   * - `stays`: it keeps the key, which then refers to nothing.
   * - `blocks`: the referenced row is deleted only after it.
   */
  effect: 'goes' | 'cascades' | 'clears' | 'shortens' | 'follows' | 'stays' | 'blocks';
  /**
   * The referenced row is no orphan while this row exists. The statements of `orphans.ts` repeat this by hand; a test checks that
   * they agree.
   */
  holds?: boolean;
  /** No index finds the rows by this column: a purge deletes them once, not once per batch. */
  unindexed?: boolean;
  /** Whether its rows are deleted in batches before the rest, because there are many. */
  many?: boolean;
  /** Which rows refer to this table, if the column may refer to several. */
  where?: string;
  /** The column has keys as text. */
  text?: boolean;
  /** The columns that become null. */
  columns?: readonly string[];
  /** A message quotes the referenced row: the body of the message is cleared. */
  message?: boolean;
  /** The column has a list of keys. */
  isList?: boolean;
  /** A column that refers to an owner: the owner is deleted instead of this row. */
  deletesOwner?: string;
  /** Why the key stays. For readers: no code uses it. */
  why?: string;
};

type More = Omit<Reference, 'to' | 'effect'>;
const goes = (to: Referred, more: More = {}): Reference => ({ to, effect: 'goes', ...more });
const cascades = (to: Referred): Reference => ({ to, effect: 'cascades' });
const follows = (to: Referred, more: More = {}): Reference => ({ to, effect: 'follows', ...more });
const stays = (to: Referred, why: string): Reference => ({ to, effect: 'stays', why });
const blocks = (to: Referred, more: More = {}): Reference => ({ to, effect: 'blocks', ...more });
const clears = (to: Referred, ...columns: string[]): Reference => ({
  to,
  effect: 'clears',
  unindexed: true,
  columns,
});
/** Removed, but never deleted. */
const kept = (to: 'services' | 'channels'): Reference => blocks(to);

const HOLDS = { holds: true };
const MANY = { many: true };
const ABOVE = 'a bound of ids';
const LISTED = 'readers compare it with the list of names';
const POSITION = 'a position in the feed';
const ORIGIN = 'where the content is from';
const NUMBER = 'the number of results is a figure, and readers skip what is gone';

/**
 * The columns of each table that refer to other rows. Tables are in the order of deletion, each before the tables it refers to, so
 * that no foreign key is violated.
 */
export const REFERENCES: Readonly<
  Record<string, Readonly<Record<string, Reference | readonly Reference[]>>>
> = {
  // Topics and searches.
  topics: { successor_id: cascades('topics') },
  topic_sources: { topic_id: cascades('topics') },
  topic_names: { topic_id: cascades('topics') },
  topic_notes: { topic_id: cascades('topics') },
  topic_name_lists: { topic_id: cascades('topics'), unread_below: stays('completions', ABOVE) },
  topic_items: { topic_id: goes('topics', MANY) },
  searches: { topic_id: blocks('topics'), service_id: kept('services') },
  former_slugs: { topic_id: cascades('topics'), search_id: cascades('searches') },
  search_versions: { search_id: goes('searches') },
  search_states: { search_id: goes('searches') },
  search_pace: { search_id: goes('searches', MANY) },
  interval_changes: { search_id: goes('searches', MANY) }, // after `search_pace`, because `savePaces` writes a row there and then its row here

  // Briefs. Without what it cites, a brief goes.
  brief_sources: {
    brief_id: cascades('briefs'),
    thing: [
      goes('posts', { where: `kind = 'post'`, deletesOwner: 'brief_id' }),
      goes('links', { where: `kind = 'link'`, deletesOwner: 'brief_id' }),
      goes('claims', { where: `kind = 'claim'`, deletesOwner: 'brief_id' }),
      follows('spikes', { where: `kind = 'spike'` }),
    ],
    search_id: goes('searches', { deletesOwner: 'brief_id' }),
  },
  briefs: {
    digest_id: goes('digests'),
    spike_id: follows('spikes'),
    search_id: goes('searches', MANY),
    topic_id: goes('topics'),
  },

  translations: {
    thing: [
      goes('posts', { where: `kind = 'post'` }),
      goes('links', { where: `kind in ('title', 'snippet')` }),
      goes('claims', { where: `kind = 'claim'` }),
    ],
  },

  // Messages.
  delivery_discoveries: {
    rule_id: follows('rules'),
    discovery_id: goes('discoveries', { message: true }),
    channel_id: kept('channels'),
    delivery_id: goes('deliveries'),
  },
  delivery_events: {
    rule_id: follows('rules'),
    event_id: goes('system_events', { message: true }),
    channel_id: kept('channels'),
    delivery_id: goes('deliveries'),
  },
  deliveries: {
    channel_id: kept('channels'),
    rule_id: goes('rules'),
    run_id: stays('runs', 'the message was sent'),
    digest_id: follows('digests'),
    muted_topic_id: stays('topics', 'the message was sent'),
  },
  digests: { rule_id: goes('rules'), last_discovery: stays('discoveries', POSITION) },
  rule_channels: {
    rule_id: goes('rules'),
    channel_id: kept('channels'),
    after: stays('discoveries', POSITION),
  },
  rules: {
    topic_id: goes('topics'),
    search_id: goes('searches'),
    after: stays('discoveries', POSITION),
  },
  channels: { cursor: stays('discoveries', POSITION) },
  feeds: { topic_id: goes('topics'), search_id: goes('searches') },
  system_events: { search_id: goes('searches') },

  // Figures.
  pending_derivations: {
    search_id: goes('searches', MANY),
    run_id: follows('runs'),
    new_posts: stays('posts', NUMBER),
    new_links: stays('links', NUMBER),
    changed_posts: stays('posts', NUMBER),
    edited_posts: stays('posts', NUMBER),
    edited_links: stays('links', NUMBER),
    touched_posts: stays('posts', NUMBER),
    touched_links: stays('links', NUMBER),
  },
  coverage: {
    run_id: goes('runs'),
    search_id: follows('searches'),
    top_post_id: clears('posts', 'top_post_id', 'top_gained'),
  },
  spikes: {
    search_id: goes('searches', MANY),
    run_id: follows('runs'),
    top_post_id: clears('posts', 'top_post_id', 'top_share'),
    top_author_id: clears('authors', 'top_author_id', 'author_share'),
    reason_post_id: clears('posts', 'reason_post_id'),
  },
  trend_states: {
    search_id: goes('searches', MANY),
    run_id: follows('runs'),
    reason_post_id: clears('posts', 'reason_post_id'),
  },
  name_changes: {
    search_id: goes('searches', MANY),
    run_id: follows('runs'),
    name_id: stays('topic_names', LISTED),
  },
  volume: { search_id: goes('searches', MANY) },
  search_days: { search_id: goes('searches', MANY) },
  search_tops: {
    search_id: goes('searches', MANY),
    name: goes('authors', { where: `kind = 'author'`, text: true, unindexed: true }),
  },
  search_gains: { search_id: goes('searches', MANY) },
  search_typical: { search_id: goes('searches', MANY) },
  search_rising: { search_id: goes('searches', MANY), post_id: goes('posts') },
  latest_results: { search_id: goes('searches', MANY), run_id: follows('runs') },
  dropped_posts: { search_id: goes('searches', MANY), post_id: goes('posts') },
  post_counters_at_age: { search_id: goes('searches', MANY), post_id: goes('posts') },

  // Stories. `leaveStories` takes discoveries out of them before they are deleted.
  stories: {
    id: goes('discoveries'),
    topic_id: goes('topics', MANY),
    origin_id: follows('discoveries'),
    reported_id: follows('discoveries'),
  },
  story_items: { discovery_id: goes('discoveries'), story_id: follows('discoveries') },
  story_candidates: { discovery_id: goes('discoveries'), topic_id: follows('topics') },
  judgements: { discovery_id: goes('discoveries'), topic_id: follows('topics') },
  judgement_waits: { channel_id: kept('channels'), discovery_id: goes('discoveries') },
  story_changes: {
    thing: [goes('posts', { where: `kind = 'post'` }), goes('links', { where: `kind = 'link'` })],
  },

  // Results of runs.
  discoveries: {
    search_id: follows('searches'),
    run_id: goes('runs'),
    thing: [
      goes('posts', { where: `kind = 'post'` }),
      goes('links', { where: `kind = 'link'` }),
      goes('growth_reports', { where: `kind = 'growth'` }),
      follows('completions', { where: `kind = 'completion'` }),
      follows('spikes', { where: `kind = 'spike'` }),
      follows('trend_states', { where: `kind = 'trend'` }),
      follows('name_changes', { where: `kind = 'name'` }),
    ],
  },
  growth_reports: { search_id: goes('searches', MANY), run_id: follows('runs'), post_id: goes('posts') },
  key_items: { completion_id: goes('completions'), link_id: goes('links', HOLDS) },
  completion_claims: {
    completion_id: cascades('completions'),
    claim_id: cascades('claims'),
    // A statement is removed from all completions.
    link_ids: goes('links', { deletesOwner: 'claim_id', isList: true, holds: true, unindexed: true }),
    not_returned: follows('links'),
  },
  answer_names: {
    completion_id: cascades('completions'),
    search_id: follows('searches'),
    named: stays('topic_names', LISTED),
    cited: stays('topic_names', LISTED),
  },
  claims: { search_id: goes('searches', MANY), first_run_id: follows('runs') },
  completions: {
    run_id: goes('runs'),
    search_id: follows('searches'),
    previous_run_id: follows('runs'),
    completion_links: { to: 'links', effect: 'shortens', holds: true, unindexed: true },
    search_completion_links: { to: 'links', effect: 'shortens', holds: true, unindexed: true },
  },
  run_results: {
    run_id: goes('runs'),
    post_ids: stays('posts', NUMBER),
    link_ids: stays('links', NUMBER),
  },
  run_tools: { run_id: goes('runs'), search_id: follows('searches') },
  rejects: { run_id: goes('runs') },
  responses: { run_id: goes('runs') },
  calls: { run_id: goes('runs'), service_id: kept('services') },
  runs: { search_id: goes('searches') },

  // Posts, links and authors.
  post_sightings: {
    search_id: goes('searches'),
    post_id: goes('posts', HOLDS),
    first_run_id: follows('runs'),
  },
  link_sightings: {
    search_id: goes('searches'),
    link_id: goes('links', HOLDS),
    first_run_id: follows('runs'),
  },
  post_links: { post_id: goes('posts'), link_id: goes('links', HOLDS) },
  post_snapshots: { post_id: goes('posts') },
  post_counters: { post_id: goes('posts') },
  post_versions: {
    post_id: goes('posts'),
    run_id: stays('runs', ORIGIN),
    author_id: { ...clears('authors', 'author_id'), holds: true },
  },
  archive_changes: {
    thing: [goes('posts', { where: `kind = 'post'` }), goes('links', { where: `kind = 'link'` })],
  },
  // `removeFromArchive` in `items.ts` deletes the document.
  archive_documents: {
    thing: [blocks('posts', { where: `kind = 'post'` }), blocks('links', { where: `kind = 'link'` })],
  },
  archive_progress: { discovery_id: stays('discoveries', POSITION) },
  posts: {
    service_id: kept('services'),
    author_id: blocks('authors', HOLDS),
    run_id: stays('runs', ORIGIN),
    // By the ID of the service. A post may refer to posts that nobody has found.
    quoted_status_id: { ...stays('posts', ORIGIN), holds: true, unindexed: true },
    reposted_status_id: { ...stays('posts', ORIGIN), holds: true, unindexed: true },
    in_reply_to_status_id: { ...stays('posts', ORIGIN), holds: true, unindexed: true },
  },
  link_addresses: { link_id: goes('links') },
  author_snapshots: { author_id: goes('authors') },
  author_counters: { author_id: goes('authors') },
  author_versions: { author_id: goes('authors'), run_id: stays('runs', ORIGIN) },
  authors: { service_id: kept('services'), run_id: stays('runs', ORIGIN) },

  // The installation.
  call_days: { service_id: kept('services') },
  call_minutes: { service_id: kept('services') },
  trials: { service_id: kept('services') },
  sessions: { token_id: cascades('tokens') },
};
