/** Real and simulated data have databases of their own: a database has a kind, and what an older one had of the other goes. */
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/platform/postgres/connect.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { assertSchema, migrate } from '../../src/store/db/migrate.ts';
import { emptyDatabase } from '../database.ts';
import { migrationsUntil } from './folders.ts';

const log = createLogger('silent');

async function openEmpty() {
  const { url, drop } = await emptyDatabase();
  onTestFinished(drop);
  const client = await connect(url, 'test');
  onTestFinished(() => client.end());
  const read = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows;
  return { url, client, read };
}

test.for(['real', 'sandbox'] as const)(
  'a database is %s from its first migration on, and refused as the other',
  async (kind) => {
    const { url, read } = await openEmpty();
    const other = kind === 'real' ? 'sandbox' : 'real';
    await migrate({ url, kind, log });
    await migrate({ url, kind, log });
    await assertSchema({ url, kind, log });
    expect(await read(`SELECT value FROM strandline.facts WHERE name = 'kind'`)).toEqual([{ value: kind }]);
    for (const open of [migrate, assertSchema])
      await expect(open({ url, kind: other, log })).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringMatching(
          kind === 'real' ? /has real data.* SANDBOX_DATABASE_URL/ : /is the sandbox.* DATABASE_URL/,
        ),
      });
    const [row] = await read(`SELECT count(*)::int AS n FROM information_schema.columns
    WHERE table_schema = 'strandline' AND column_name IN ('simulated', 'sandbox')`);
    expect(row).toEqual({ n: 0 });
  },
);

const T = `'2026-11-21T12:00:00Z'::timestamptz`;
/** Both sides found link 1; link 2 is simulated, link 3 real, and link 4 only in a simulated post. */
const MIXED = `
INSERT INTO strandline.services (name, kind, dialect, created_at) VALUES ('hosted', 'hosted', 'named', ${T}), ('sandbox', 'sandbox', 'named', ${T});
INSERT INTO strandline.topics (slug, name, sample, created_at) VALUES
  ('ferry', 'Ferries', false, ${T}), ('ferry-simulated', 'Taken', false, ${T}), ('sample', 'Sample', true, ${T}), ('none', 'None', false, ${T});
INSERT INTO strandline.searches (topic_id, service_id, slug, operation, version, labels, state, state_since, next_due_at, created_at) VALUES
  (1, 1, 'real', 'ai', 1, '{}', 'active', ${T}, ${T}, ${T}), (1, 2, 'simulated', 'ai', 1, '{}', 'active', ${T}, ${T}, ${T}),
  (2, 1, 'other', 'ai', 1, '{}', 'active', ${T}, ${T}, ${T}), (3, 2, 'sample', 'ai', 1, '{}', 'active', ${T}, ${T}, ${T});
INSERT INTO strandline.links (canonical, url, site, title, first_seen_at, observed_at)
SELECT 'https://' || n || '.example/', 'https://' || n || '.example/', n || '.example', 'Title', ${T}, ${T} FROM generate_series(1, 4) n;
INSERT INTO strandline.link_addresses (address, link_id) SELECT url, id FROM strandline.links;
INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, ended_at)
SELECT id, 1, 1, 'first', 'succeeded', ${T}, ${T} FROM strandline.searches ORDER BY id;
INSERT INTO strandline.link_sightings (search_id, link_id, first_run_id, first_seen_at, source) VALUES
  (2, 1, 2, ${T}, 'web'), (1, 1, 1, ${T} + interval '1 hour', 'web'), (2, 2, 2, ${T}, 'web'), (1, 3, 1, ${T}, 'web');
INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, at, first_in_topic) VALUES
  (2, 2, 'link', 1, true, ${T}, true), (2, 2, 'link', 2, true, ${T}, true), (1, 1, 'link', 1, true, ${T}, false), (1, 1, 'link', 3, true, ${T}, true);
INSERT INTO strandline.topic_items SELECT 1, canonical, true FROM strandline.links WHERE id < 4;
INSERT INTO strandline.topic_items VALUES (1, 'https://purged.example/', true);
INSERT INTO strandline.completions (run_id, search_id, observed_at, changed, completion_links, search_completion_links, warnings)
SELECT id, search_id, ${T}, false, CASE search_id WHEN 1 THEN '{3,1}'::bigint[] ELSE '{1,2}' END,
  CASE search_id WHEN 1 THEN '{3,1}'::bigint[] ELSE '{1,2}' END, '[]' FROM strandline.runs WHERE search_id < 3 ORDER BY id;
INSERT INTO strandline.claims (search_id, role, identity, text, first_run_id, first_seen_at)
SELECT search_id, 'summary', '\\x01', 'So.', run_id, ${T} FROM strandline.completions ORDER BY id;
INSERT INTO strandline.completion_claims SELECT id, 0, id, completion_links, completion_links, '{}' FROM strandline.completions;
INSERT INTO strandline.key_items SELECT id, 'key_posts', 0, 'Key', 'https://1.example/', 1 FROM strandline.completions;
INSERT INTO strandline.run_results SELECT run_id, completion_links, completion_links, '{web,web}', ${T} FROM strandline.completions;
INSERT INTO strandline.observed_items SELECT ${T}, run_id, '{}', '{}', '{}', '{}', completion_links, '{1,1}' FROM strandline.completions;
INSERT INTO strandline.pending_derivations (search_id, run_id, at, new_posts, new_links, changed_posts, touched_posts, touched_links, checked, notify)
SELECT search_id, run_id, ${T}, '{}', completion_links, '{}', '{}', completion_links, true, true FROM strandline.completions;
INSERT INTO strandline.posts (service_id, external_id, text, first_seen_at, observed_at) VALUES (1, 'p', 'A', ${T}, ${T}), (2, 'p', 'B', ${T}, ${T});
INSERT INTO strandline.post_links VALUES (1, 1), (2, 1), (2, 4);
INSERT INTO strandline.archive_documents (kind, thing, at, sandbox, config, words, tsv) VALUES ('link', 1, ${T}, false, 'english', 1, 'title');
`;

test('of an older database the real data stays whole, and the simulated goes', async () => {
  const { url, client, read } = await openEmpty();
  await migrate({ url, log, folder: await migrationsUntil('0011') });
  await client.query(MIXED);
  await migrate({ url, log });

  expect(
    await read(`SELECT t.slug, array_agg(s.slug) FILTER (WHERE s.slug IS NOT NULL) AS searches
      FROM strandline.topics t LEFT JOIN strandline.searches s ON s.topic_id = t.id GROUP BY t.id ORDER BY t.id`),
  ).toEqual([
    { slug: 'ferry', searches: ['real'] },
    { slug: 'ferry-simulated', searches: ['other'] },
    { slug: 'none', searches: null },
  ]);
  expect(
    await read(`SELECT l.site, l.title, a.address, s.slug AS found_by, p.text AS posted
      FROM strandline.links l JOIN strandline.link_addresses a ON a.link_id = l.id
      LEFT JOIN strandline.link_sightings g ON g.link_id = l.id LEFT JOIN strandline.searches s ON s.id = g.search_id
      LEFT JOIN strandline.post_links n ON n.link_id = l.id LEFT JOIN strandline.posts p ON p.id = n.post_id ORDER BY 1`),
  ).toEqual([
    { site: '1.example', title: 'Title', address: 'https://1.example/', found_by: 'real', posted: 'A' },
    { site: '3.example', title: 'Title', address: 'https://3.example/', found_by: 'real', posted: null },
  ]);
  // The first discovery of a real link, which a simulated search had found before.
  expect(
    await read(
      `SELECT l.site, d.first_in_topic FROM strandline.discoveries d JOIN strandline.links l ON l.id = d.thing ORDER BY 1`,
    ),
  ).toEqual([
    { site: '1.example', first_in_topic: true },
    { site: '3.example', first_in_topic: true },
  ]);
  expect(await read('SELECT topic_id::int, key FROM strandline.topic_items ORDER BY 2')).toEqual([
    { topic_id: 1, key: 'https://1.example/' },
    { topic_id: 1, key: 'https://3.example/' },
    { topic_id: 1, key: 'https://purged.example/' },
  ]);
  for (const [table, rows] of Object.entries({
    completions: 1,
    completion_claims: 1,
    claims: 1,
    key_items: 1,
    run_results: 1,
    pending_derivations: 1,
    runs: 2,
    posts: 1,
    services: 1,
  }))
    expect([table, await read(`SELECT count(*)::int AS n FROM strandline.${table}`)]).toEqual([
      table,
      [{ n: rows }],
    ]);
  expect(
    await read(`SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE relname ~ '^(gone_|twins|split_)' OR nspname = 'strandline_analytics_simulated'`),
  ).toEqual([]);
});

test('objects of others that depend on the views of simulated data are named, and nothing is changed', async () => {
  const { url, client, read } = await openEmpty();
  await migrate({ url, log, folder: await migrationsUntil('0022') });
  await client.query(`CREATE SCHEMA strandline_analytics_simulated;
    CREATE VIEW strandline_analytics_simulated.posts AS SELECT id FROM strandline.posts;
    CREATE VIEW public.mine AS SELECT id FROM strandline_analytics_simulated.posts`);
  await expect(migrate({ url, log })).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('strandline_analytics_simulated'),
  });
  const before = await read('SELECT count(*)::int AS n FROM public.mine');
  expect(before).toEqual([{ n: 0 }]);
  await client.query('DROP VIEW public.mine');
  await migrate({ url, log });
  expect(await read(`SELECT to_regnamespace('strandline_analytics_simulated') AS schema`)).toEqual([
    { schema: null },
  ]);
});
