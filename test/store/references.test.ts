/** The table of references (`store/erase/references.ts`) is the database's catalog, and what it says is so. */
import { afterAll, expect, test } from 'vitest';
import type { Id } from '../../src/store/db/database.ts';
import {
  findLeavingPosts,
  findOrphanAuthors,
  findOrphanLinks,
  findUnnamedAuthors,
} from '../../src/store/erase/orphans.ts';
import { EXPIRY } from '../../src/store/erase/expiry.ts';
import { REFERENCES, type Reference } from '../../src/store/erase/references.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld();
afterAll(() => world.close());
const rows = async (sql: string, values: unknown[] = []): Promise<ReturnType<typeof JSON.parse>[]> =>
  (await world.db.pool.query(sql, values)).rows; // the test knows what they hold

const declared = Object.entries(REFERENCES).flatMap(([table, columns]) =>
  Object.entries(columns).flatMap(([column, references]) =>
    [references].flat().map((reference) => ({ ...reference, table, column })),
  ),
);

/** Tables that refer to nothing. */
const WITHOUT_REFERENCES: readonly string[] = [
  'audit_log',
  'count_increments',
  'counts',
  'facts',
  'form_secret',
  'saved_views',
  'shares',
  'idempotency_keys',
  'links',
  'opened_pages',
  'recurring_work',
  'scanner',
  'services',
  'source_allowances',
  'source_pacing',
  'tokens',
  'tombstones',
  'workers',
];

/** Whole numbers that are no keys of rows. */
const NUMBERS =
  /(?:_count|_known)$|(?:^|[.])(?:content_hash|partial_hash|text_key|units|documents|words|engagement|step_engagement|followed|changes|gained|top_gained|compared_with)$|^search_typical[.]posts$|^story_candidates[.]names$/;
const OWN_SCHEMA = `relnamespace = 'strandline'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE '%migrations%'`;

/** What the catalog has and the table does not declare, or the other way round. */
async function listDifferences(): Promise<string[]> {
  const tables = (await rows(`SELECT relname AS name FROM pg_class WHERE ${OWN_SCHEMA}`)).map(
    ({ name }) => name,
  );
  const columns = await rows(
    `SELECT c.relname || '.' || a.attname AS name, a.atttypid IN ('bigint'::regtype, 'bigint[]'::regtype) AND a.attname <> 'id' AS keys
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE ${OWN_SCHEMA}`,
  );
  const foreign = await rows(
    `SELECT c.relname || '.' || a.attname AS name, f.relname AS to, k.confdeltype <> 'a' AS cascades
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
     JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
     WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relnamespace = 'strandline'::regnamespace`,
  );
  const existing = new Set(columns.map(({ name }) => name));
  const known = new Set(declared.map(({ table, column }) => `${table}.${column}`));
  const declaredTables = [...Object.keys(REFERENCES), ...WITHOUT_REFERENCES];
  return [
    ...tables.filter((name) => !declaredTables.includes(name)).map((name) => `table ${name} is not declared`),
    ...declaredTables.filter((name) => !tables.includes(name)).map((name) => `there is no table ${name}`),
    ...columns.flatMap(({ name, keys }) =>
      keys && !known.has(name) && !NUMBERS.test(name) ? [`column ${name} is not declared`] : [],
    ),
    ...[...known].filter((name) => !existing.has(name)).map((name) => `there is no column ${name}`),
    ...foreign.flatMap(({ name, to, cascades }) => {
      const reference = declared.find(({ table, column }) => `${table}.${column}` === name);
      const isSame = reference?.to === to && (reference?.effect === 'cascades') === cascades;
      return isSame ? [] : [`foreign key ${name} is declared otherwise`];
    }),
  ];
}

test('every table and every column with keys is declared, as its foreign key is', async () => {
  expect(await listDifferences()).toEqual([]);
  const twice = Object.keys(REFERENCES).filter((table) => WITHOUT_REFERENCES.includes(table));
  expect(twice).toEqual([]);
});

test('a table, a column or a foreign key that nobody declared is found', async () => {
  const undo = [
    'DROP TABLE strandline.notes',
    'ALTER TABLE strandline.feeds DROP COLUMN shared_post, DROP CONSTRAINT of_search',
  ];
  await rows('CREATE TABLE strandline.notes (post_id bigint)');
  await rows(
    'ALTER TABLE strandline.feeds ADD COLUMN shared_post bigint[], ADD CONSTRAINT of_search FOREIGN KEY (search_id) REFERENCES strandline.searches (id) ON DELETE CASCADE',
  );
  try {
    expect((await listDifferences()).toSorted()).toEqual([
      'column feeds.shared_post is not declared',
      'column notes.post_id is not declared',
      'foreign key feeds.search_id is declared otherwise',
      'table notes is not declared',
    ]);
  } finally {
    for (const statement of undo) await rows(statement);
  }
});

/** Tables with few rows, of which a batch reads all. */
const SMALL = new Set(['archive_changes', 'feeds', 'rules', 'story_changes', 'system_events']);

test('an index finds the rows that a batch deletes, or the table of references says that none does', async () => {
  const indexed = new Set(
    (
      await rows(
        `SELECT c.relname || '.' || a.attname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE c.relnamespace = 'strandline'::regnamespace
         UNION SELECT 'discoveries.thing'`, // with its kind
      )
    ).map(({ name }) => name),
  );
  const deleting = declared.filter(({ effect, table }) => effect === 'goes' && !SMALL.has(table));
  const wrong = deleting.flatMap(({ table, column, unindexed = false }) =>
    indexed.has(`${table}.${column}`) === unindexed ? [`${table}.${column}`] : [],
  );
  expect(wrong).toEqual([]);
  expect(deleting.length).toBeGreaterThan(50);
});

test('what expires is in the catalog', async () => {
  for (const { table, key, order } of Object.values(EXPIRY))
    await rows(`SELECT ${key}, ${order} FROM strandline.${table} LIMIT 0`);
});

const listHolders = (to: Reference['to']) =>
  declared.flatMap(({ table, column, holds, ...reference }) =>
    holds === true && reference.to === to ? [`${table}.${column}`] : [],
  );

const insert = async (table: string, values: Record<string, unknown>): Promise<Id> => {
  const names = Object.keys(values);
  const [row] = await rows(
    `INSERT INTO strandline.${table} (${names.join(', ')}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')}) RETURNING *`,
    Object.values(values),
  );
  return row.id;
};

let n = 0;
const AT = new Date('2026-11-21T00:00:00Z');
const service_id = await insert('services', {
  name: 'of-references',
  kind: 'hosted',
  dialect: 'default',
  created_at: AT,
});
async function insertPost(more: Record<string, unknown> = {}): Promise<{ id: Id; name: string }> {
  const name = `post-${(n += 1)}`;
  const own = { service_id, external_id: name, first_seen_at: AT, observed_at: AT, text: '' };
  return { id: await insert('posts', { ...own, ...more }), name };
}
const insertLink = async () => {
  const url = `https://a.example/${(n += 1)}`;
  return insert('links', {
    canonical: url,
    url,
    site: 'a.example',
    first_seen_at: AT,
    observed_at: AT,
  });
};
async function insertCompletion(more: Record<string, unknown>): Promise<Id> {
  const topic_id = await insert('topics', { slug: `t${(n += 1)}`, name: 't', created_at: AT });
  const search_id = await insert('searches', {
    topic_id,
    service_id,
    slug: `s${n}`,
    operation: 'ai',
    version: 1,
    labels: [],
    state: 'active',
    state_since: AT,
    next_due_at: AT,
    created_at: AT,
  });
  const run_id = await insert('runs', {
    search_id,
    version: 1,
    request_version: 1,
    trigger: 'manual',
    status: 'succeeded',
    created_at: AT,
    ended_at: AT,
  });
  const lists = { completion_links: [], search_completion_links: [] };
  return insert('completions', {
    run_id,
    search_id,
    observed_at: AT,
    changed: false,
    warnings: '[]',
    ...lists,
    ...more,
  });
}

/** A row of each holder of a link, and nothing else. */
const HOLD_LINK: Readonly<Record<string, (link: Id) => Promise<unknown>>> = {
  'link_sightings.link_id': (link_id) =>
    insert('link_sightings', {
      search_id: 0,
      link_id,
      first_run_id: 0,
      first_seen_at: AT,
      source: 'web',
    }),
  'post_links.link_id': (link_id) => insert('post_links', { post_id: 0, link_id }),
  'key_items.link_id': async (link_id) =>
    insert('key_items', {
      completion_id: await insertCompletion({}),
      list: 'key_news',
      position: 0,
      text: '',
      link_id,
    }),
  'completions.completion_links': (link) => insertCompletion({ completion_links: [link] }),
  'completions.search_completion_links': (link) => insertCompletion({ search_completion_links: [link] }),
  'completion_claims.link_ids': async (link) => {
    const completion_id = await insertCompletion({});
    const [{ search_id, run_id }] = await rows(
      'SELECT search_id, run_id FROM strandline.completions WHERE id = $1',
      [completion_id],
    );
    const claim_id = await insert('claims', {
      search_id,
      role: 'summary',
      identity: Buffer.from('a'),
      text: 'a',
      first_run_id: run_id,
      first_seen_at: AT,
    });
    return insert('completion_claims', {
      completion_id,
      position: 0,
      claim_id,
      link_ids: [link],
      not_returned: [],
      unresolved: [],
    });
  },
};

test('each row that holds a link does', async () => {
  expect(Object.keys(HOLD_LINK).toSorted()).toEqual(listHolders('links').toSorted());
  for (const [holder, hold] of Object.entries(HOLD_LINK)) {
    const link = await insertLink();
    expect(await findOrphanLinks(world.db.pool, [link], {}), holder).toEqual([link]);
    await hold(link);
    expect(await findOrphanLinks(world.db.pool, [link], {}), holder).toEqual([]);
  }
});

test('each row that holds a post does; posts that only refer to each other go together', async () => {
  const hold: Readonly<Record<string, (post: { id: Id; name: string }) => Promise<unknown>>> = {
    'post_sightings.post_id': ({ id }) =>
      insert('post_sightings', { search_id: 2, post_id: id, first_run_id: 0, first_seen_at: AT }),
    'posts.quoted_status_id': ({ name }) => insertPost({ quoted_status_id: name }),
    'posts.reposted_status_id': ({ name }) => insertPost({ reposted_status_id: name }),
    'posts.in_reply_to_status_id': ({ name }) => insertPost({ in_reply_to_status_id: name }),
  };
  expect(Object.keys(hold).toSorted()).toEqual(listHolders('posts').toSorted());
  const leaving = async (seen: readonly Id[]) =>
    (await findLeavingPosts(world.db.pool, 1n, seen)).map(({ id }) => id).toSorted((a, b) => Number(a - b));
  for (const [holder, holdPost] of Object.entries(hold)) {
    const post = await insertPost();
    expect(await leaving([post.id]), holder).toEqual([post.id]);
    await holdPost(post);
    expect(await leaving([post.id]), holder).toEqual([]);
  }
  const first = await insertPost();
  const second = await insertPost({ quoted_status_id: first.name });
  const nested = await insertPost();
  await rows('UPDATE strandline.posts SET quoted_status_id = $2, in_reply_to_status_id = $3 WHERE id = $1', [
    first.id,
    second.name,
    nested.name,
  ]);
  expect(await leaving([first.id])).toEqual([first.id, second.id, nested.id]);
  // What remains refers to one of them, so it stays with what it refers to.
  await insertPost({ reposted_status_id: second.name });
  expect(await leaving([first.id])).toEqual([]);
});

test('each row that holds an author does', async () => {
  const insertAuthor = () =>
    insert('authors', {
      service_id,
      first_seen_at: AT,
      observed_at: AT,
      external_id: `author-${(n += 1)}`,
    });
  const [author, former] = [await insertAuthor(), await insertAuthor()];
  expect(listHolders('authors').toSorted()).toEqual(['post_versions.author_id', 'posts.author_id']);
  expect(await findOrphanAuthors(world.db.pool, [author, former])).toEqual([author, former]);
  await insertPost({ author_id: author });
  expect(await findOrphanAuthors(world.db.pool, [author, former])).toEqual([former]);
  const { id } = await insertPost();
  const leaving = [
    { id: 0n, service_id, external_id: 'gone', author_id: former },
    { id: 1n, service_id, external_id: 'gone too', author_id: author },
  ];
  expect(await findUnnamedAuthors(world.db.pool, leaving)).toEqual(new Set([former, author]));
  await insert('post_versions', { post_id: id, observed_at: AT, is_partial: false, author_id: former });
  expect(await findUnnamedAuthors(world.db.pool, leaving)).toEqual(new Set([author]));
});
