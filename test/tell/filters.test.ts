/** Filters of rules: stored ones mean what they meant, and a rule matches what find finds. */
import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseQuery, type Query } from '../../src/model/search-query.ts';
import { changeRule, editRule } from '../../src/monitor/alerts/manage-rules.ts';
import { assertStoredFilters } from '../../src/monitor/alerts/rule-filter.ts';
import type { FeedEntry } from '../../src/store/alerts/reportable-discoveries.ts';
import { findMatches } from '../../src/store/alerts/item-matches.ts';
import { findText } from '../../src/store/archive/find-text.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { makeWorld, type World } from '../world.ts';
import { matchesFilter, parseFilter } from './former-filter.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const WORDS =
  `ferry ferries Ferry's FÄHRE Fähren Zürich zurich Straße the and not night-ferry line lines "quoted" don't
  東京 東京タワー 今日は маяк маяки école O'Neil C++ R&D 50% 12:30 a b x1e5 1e5 #harbour @jane ... 💥 https://news.example/ferry
  cancelled cancels \u00a0 naïve œuvre Ísland İstanbul ΟΔΟΣ ﬁne ½ ² news.example author:jane OR AND -late –late (late) a|b`.split(
    /\s+/,
  );

const word = fc.constantFrom(...WORDS);
const textOf = (maxLength: number) =>
  fc
    .array(fc.oneof({ weight: 9, arbitrary: word }, fc.string({ unit: 'grapheme', maxLength: 6 })), {
      maxLength,
    })
    .map((words) => words.join(' ').replaceAll('\0', ''));
const nullable = (text: fc.Arbitrary<string>) => fc.option(text, { freq: 4 });

type Texts = {
  kind: 'post' | 'link' | 'spike';
  text: string;
  name: string | null;
  more: string | null;
  tags: string[];
};
const texts = fc.record({
  kind: fc.constantFrom('post', 'link', 'spike'),
  text: textOf(12),
  name: nullable(textOf(2)),
  more: nullable(textOf(5)),
  tags: fc.array(word, { maxLength: 2 }),
});
const LANGUAGES = ['en', 'de', 'ru', 'ja', null];

/** Items as rules see them; posts and links are stored. */
async function storeItems(items: readonly Texts[]): Promise<FeedEntry[]> {
  const { pool } = world.db;
  const at = world.clock.now();
  const rows = JSON.stringify(
    items.map((item, i) => ({ n: i + 1, lang: LANGUAGES[i % LANGUAGES.length], ...item })),
  );
  const from = `FROM json_to_recordset($1::json) AS r(n bigint, kind text, text text, name text, more text, tags text[], lang text)`;
  await pool.query(
    `WITH a AS (INSERT INTO strandline.authors (id, service_id, external_id, username, name, first_seen_at, observed_at)
       OVERRIDING SYSTEM VALUE SELECT n, 1, n::text, name, more, $2, $2 ${from} WHERE kind = 'post')
     INSERT INTO strandline.posts (id, service_id, author_id, external_id, text, lang, hashtags, mentions, urls, media, entities, first_seen_at, observed_at)
     OVERRIDING SYSTEM VALUE SELECT n, 1, n, n::text, text, lang, tags, '{}', '{}', '[]', '{}', $2, $2 ${from} WHERE kind = 'post'`,
    [rows, at],
  );
  await pool.query(
    `INSERT INTO strandline.links (id, canonical, url, site, title, snippet, first_seen_at, observed_at)
     OVERRIDING SYSTEM VALUE SELECT n, 'https://a.example/' || n, 'https://a.example/' || n, 'news.example', name, text, $2, $2 ${from} WHERE kind = 'link'`,
    [rows, at],
  );
  return items.map((item, i): FeedEntry => toEntry(item, BigInt(i + 1)));
}

function toEntry({ kind, text, name, more, tags }: Texts, id: bigint): FeedEntry {
  // Only what filters read.
  const item = {
    post: { id, text, author_username: name, author_name: more, hashtags: tags },
    link: { id, title: name, snippet: text, site: 'news.example', post: null },
    spike: { id, sentence: text },
  };
  return { id, at: world.clock.now(), kind, [kind]: item[kind] } as unknown as FeedEntry;
}

/** The texts that former filters read. */
function listTexts(entry: FeedEntry): (string | null)[] {
  if (entry.kind === 'post')
    return [entry.post.text, entry.post.author_username, entry.post.author_name, ...entry.post.hashtags];
  if (entry.kind === 'link') return [entry.link.title, entry.link.snippet, entry.link.site];
  return entry.kind === 'spike' ? [entry.spike.sentence] : [];
}

/** Filters that former rules accepted. */
const formerFilter = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '-'),
      fc.oneof(
        word,
        textOf(3).map((text) => `"${text.replaceAll('"', '')}"`),
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .chain((terms) =>
    fc
      .constantFrom(' ', '  ', '\u00a0', '\u3000')
      .map((space) => terms.map((term) => term.join('')).join(space)),
  )
  .filter((text) => {
    try {
      return parseFilter(text) !== null;
    } catch {
      return false;
    }
  });

/** Applies the migration to stored filters. */
async function migrateFilters(filters: readonly string[]): Promise<string[]> {
  const migration = await readFile('migrations/0006_rule_filters.sql', 'utf8');
  const statement = migration.slice(0, migration.indexOf(';\n'));
  const { pool } = world.db;
  await pool.query(
    `INSERT INTO strandline.rules (slug, name, kinds, filter, cooldown_seconds, state, state_since, after, created_at)
     SELECT 'rule-' || n, 'rule', '{post}', f, 0, 'paused', now(), n, now() FROM unnest($1::text[]) WITH ORDINALITY u(f, n)`,
    [filters],
  );
  await pool.query(statement);
  const { rows } = await pool.query<{ filter: string }>(
    `SELECT filter FROM strandline.rules WHERE slug <> 'system' ORDER BY after`,
  );
  await pool.query(`DELETE FROM strandline.rules WHERE slug <> 'system'`);
  return rows.map(({ filter }) => filter);
}

test('stored filters match the same of 2,000 items as before, and find matches the same as rules', async () => {
  const seed = { seed: 19 };
  const entries = await storeItems(fc.sample(texts, { ...seed, numRuns: 2_000 }));
  const filters = fc.sample(formerFilter, { ...seed, numRuns: 60 });
  const queries = (await migrateFilters(filters)).map((filter) => parseQuery(filter));
  const matches: Set<bigint>[] = queries.map(() => new Set());
  for (let i = 0; i < entries.length; i += 1_000) {
    const found = await findMatches(world.db.pool, queries, entries.slice(i, i + 1_000), world.clock.now());
    for (const [n, ids] of found.entries()) for (const id of ids) matches[n]?.add(id);
  }
  let matching = 0;
  for (const [n, filter] of filters.entries()) {
    const former = parseFilter(filter);
    const expected = entries.filter((entry) => matchesFilter(former, listTexts(entry))).map(({ id }) => id);
    expect(matches[n], filter).toEqual(new Set(expected));
    matching += expected.length > 0 && expected.length < entries.length ? 1 : 0;
  }
  expect(matching).toBeGreaterThan(30);

  await world.db.pool.query(
    `INSERT INTO strandline.archive_changes (kind, thing) SELECT 'post', id FROM strandline.posts UNION ALL SELECT 'link', id FROM strandline.links`,
  );
  while (!(await fillArchive(world.db, { batches: 20 })));
  const items = entries.filter(({ kind }) => kind !== 'spike').map(({ id }) => id);
  for (const [n, query] of queries.slice(0, 20).entries())
    expect(await findIds(query), filters[n]).toEqual(new Set(items.filter((id) => matches[n]?.has(id))));
});

test.each([
  'ferry OR маяк',
  'ferries -(lang:de OR lang:en)',
  '-lang:de harbour',
  'author:zurich OR #harbour',
  'domain:example -ferry',
  'source:microblog line',
  'is:post from:1d zürich',
  'to:1h OR "night ferry"',
])('a rule with the filter %j matches what find finds', async (text) => {
  const query = parseQuery(text);
  const found = await findIds(query);
  expect(found).not.toEqual(new Set());
  const { rows } = await world.db.pool.query<{ kind: 'post' | 'link'; id: bigint }>(
    `SELECT 'post' AS kind, id FROM strandline.posts UNION ALL SELECT 'link', id FROM strandline.links`,
  );
  const matching: bigint[] = [];
  for (let i = 0; i < rows.length; i += 1_000) {
    const entries = rows.slice(i, i + 1_000).map(({ kind, id }) => toEntry({ ...NOTHING, kind }, id));
    const [ids = new Set()] = await findMatches(world.db.pool, [query], entries, world.clock.now());
    matching.push(...ids);
  }
  expect(new Set(matching)).toEqual(found);
});

test('a stored filter that cannot be read prevents the start, by number; the rule can be edited', async () => {
  const { pool } = world.db;
  await assertStoredFilters(pool);
  const { rows } = await pool.query<{ id: bigint }>(
    `INSERT INTO strandline.rules (slug, name, kinds, filter, cooldown_seconds, state, state_since, after, created_at)
     SELECT slug, slug, '{post}', filter, 0, 'active', now(), 0, now()
     FROM (VALUES ('fine', 'ferry OR boat'), ('odd', 'ferry lnag:en'), ('open', '"ferry')) r(slug, filter) RETURNING id`,
  );
  const start = assertStoredFilters(pool);
  await expect(start).rejects.toThrow(
    `rule ${rows[1]?.id} (odd): filter: got "lnag:en"; at character 7: one of the fields`,
  );
  await expect(start).rejects.toThrow(`rule ${rows[2]?.id} (open): filter: got`);
  await expect(start).rejects.toThrow(
    "run: strandline rules edit odd --filter '...'; strandline rules edit open",
  );
  await editRule(world.ctx, 'odd', { filter: 'ferry lang:en' });
  await changeRule(world.ctx, 'open', 'remove');
  await assertStoredFilters(pool);
});

const NOTHING = { text: '', name: null, more: null, tags: [] };

async function findIds(query: Query): Promise<Set<bigint>> {
  const ids: bigint[] = [];
  for (let after: string | undefined; ; ) {
    const { hits, next } = await findText(world.db, {
      query,
      now: world.clock.now(),
      after,
      limit: 2_500,
    });
    ids.push(...hits.map(({ post, link }) => post?.id ?? link?.id ?? 0n));
    if (next === null) {
      expect(new Set(ids).size).toBe(ids.length);
      return new Set(ids);
    }
    after = next;
  }
}
