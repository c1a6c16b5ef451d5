/**
 * Every table of the schema is one of facts, which are a function of the set of responses, or one that logs what happened
 * or was known at the time, or what people set. A table that is on no list fails `order.test.ts`.
 */
import type { Database } from '../../src/store/db/database.ts';

/** Columns that are left out of the comparison, each with its reason. */
type LeftOut = Readonly<Record<string, string>>;

const KEY = 'a surrogate key, in the order of saving';
const RECOGNIZED = 'recognizes a copy that need not be compared; it is unknown after some late copies';
const CHANGED = 'when the save last changed a member; a repeated value leaves no trace';

/** Keys of other rows are compared by what they stand for; see `identify`. */
export const FACT_TABLES: Readonly<Record<string, LeftOut>> = {
  posts: {
    id: KEY,
    content_hash: RECOGNIZED,
    partial_hash: RECOGNIZED,
    observed_at: CHANGED,
    run_id: CHANGED,
  },
  post_counters: {},
  post_snapshots: {},
  authors: {
    id: KEY,
    content_hash: RECOGNIZED,
    partial_hash: RECOGNIZED,
    observed_at: CHANGED,
    run_id: CHANGED,
  },
  author_counters: {},
  author_snapshots: {},
  links: {
    id: KEY,
    observed_at: CHANGED,
  },
  link_addresses: {},
  post_links: {},
  post_sightings: {},
  link_sightings: {},
  run_results: {},
  run_tools: {},
  rejects: { id: KEY },
  completions: { id: KEY },
  key_items: {},
  claims: { id: KEY },
  completion_claims: {},
  answer_names: {},
  coverage: { top_post_id: 'of posts that gained as much, the one that was saved first' },
  volume: {},
  search_days: {},
  search_tops: {},
  post_counters_at_age: {},
  search_gains: {},
  latest_results: {},
  dropped_posts: {},
  search_typical: {},
  search_rising: {},
};

export const LOG_TABLES: readonly string[] = [
  // What was reported, to whom, and what waits to be derived or sent.
  'discoveries',
  'topic_items', // which discovery reported an item depends on the order of the saves
  'spikes',
  'trend_states',
  'name_changes',
  'growth_reports',
  'deliveries',
  'delivery_discoveries',
  'digests',
  'system_events',
  'delivery_events',
  'pending_derivations',
  // Content as it was saved: a text that only a late response carried is no version.
  'post_versions',
  'author_versions',
  // What was done: runs and calls end when they end, and raw responses expire.
  'runs',
  'calls',
  'call_days',
  'call_minutes',
  'responses',
  'trials',
  'counts',
  'count_increments',
  'audit_log',
  'facts',
  'scanner',
  'recurring_work',
  'source_allowances',
  'source_pacing',
  'opened_pages',
  'workers',
  'sessions',
  'form_secret',
  'idempotency_keys',
  'tombstones',
  // What people set.
  'topics',
  'topic_sources',
  'topic_names',
  'topic_notes',
  'topic_name_lists',
  'searches',
  'search_versions',
  'search_states',
  'former_slugs',
  'search_pace', // a plan: what was known when each response was derived
  'interval_changes',
  'services',
  'channels',
  'rules',
  'rule_channels',
  'feeds',
  'saved_views',
  'shares',
  'tokens',
  // The text archive is filled from the feed, in its order, with the newest texts.
  'archive_documents',
  'archive_progress',
  'archive_changes',
  // Stories are decided in the order of the feed, and named by its entries.
  'stories',
  'story_items',
  'story_candidates',
  'story_changes',
  // What a model said when it was asked.
  'judgements',
  'judgement_waits',
  'briefs',
  'brief_sources',
  'translations',
];

/** All tables of the schema, without partitions and the migrator's. */
export async function listTables({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'strandline'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname NOT LIKE '%migrations%' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** What a key stands for, by the name of its column: posts by external ID, runs by what `runs` calls them. */
async function identify({ pool }: Database, runs: ReadonlyMap<bigint, string>) {
  const read = async (sql: string) => {
    const { rows } = await pool.query<{ id: bigint; name: string }>(sql);
    return new Map(rows.map(({ id, name }) => [id, name]));
  };
  const posts = await read('SELECT id, external_id AS name FROM strandline.posts');
  const authors = await read('SELECT id, external_id AS name FROM strandline.authors');
  const links = await read('SELECT id, canonical AS name FROM strandline.links');
  const searches = await read('SELECT id, slug AS name FROM strandline.searches');
  const completions = await pool.query<{ id: bigint; run_id: bigint }>(
    'SELECT id, run_id FROM strandline.completions',
  );
  const claims = await read(
    `SELECT c.id, s.slug || c.role || encode(c.identity, 'hex') AS name FROM strandline.claims c JOIN strandline.searches s ON s.id = c.search_id`,
  );
  const byColumn: readonly (readonly [RegExp, ReadonlyMap<bigint, string>])[] = [
    [/(^|_)post_ids?$/, posts],
    [/^author_ids?$/, authors],
    [/^(link_ids?|not_returned|completion_links|search_completion_links)$/, links],
    [/^search_id$/, searches],
    [/(^|_)run_id$/, runs],
    [/^completion_id$/, new Map(completions.rows.map(({ id, run_id }) => [id, runs.get(run_id) ?? '']))],
    [/^claim_id$/, claims],
  ];
  return (column: string, key: bigint): string | undefined => {
    const names = byColumn.find(([pattern]) => pattern.test(column))?.[1];
    if (names === undefined) return undefined;
    const name = names.get(key);
    if (name === undefined) throw new Error(`${column} ${key} stands for nothing`);
    return name;
  };
}

/** Rows of all fact tables as texts, sorted, with keys replaced. @param runs what each run is called */
export async function readFacts(
  db: Database,
  runs: ReadonlyMap<bigint, string>,
): Promise<Record<string, string[]>> {
  const name = await identify(db, runs);
  const facts: Record<string, string[]> = {};
  for (const [table, leftOut] of Object.entries(FACT_TABLES)) {
    const { rows } = await db.pool.query<Record<string, unknown>>(`SELECT * FROM strandline.${table}`);
    facts[table] = rows
      .map((row) => {
        const isTopAuthor = table === 'search_tops' && row['kind'] === 'author';
        const shown = Object.entries(row).flatMap(([column, value]) => {
          if (column in leftOut || value === null) return [];
          const replaced = (one: unknown): unknown =>
            typeof one === 'bigint' ? (name(column, one) ?? String(one)) : one;
          if (isTopAuthor && column === 'name' && typeof value === 'string')
            return [[column, name('author_id', BigInt(value))]];
          return [[column, Array.isArray(value) ? value.map(replaced) : replaced(value)]];
        });
        return JSON.stringify(Object.fromEntries(shown));
      })
      .toSorted();
  }
  return facts;
}
