/** Simulated and real data never meet: in the save, in topics, and after the migration of a database in which they did. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { BUILT_IN_RULES } from '../../src/domain/link-identity.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { rekeyLinks } from '../../src/store/maintenance/rekey-links.ts';
import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../src/store/migrations-folder.ts';
import { claimRun } from '../../src/store/run-claims.ts';
import { insertRun } from '../../src/store/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/searches.ts';
import { emptyDatabase } from '../database.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 12, minutes));
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

async function newSearch(slug: string, service: 'sandbox' | 'hosted', topic = slug): Promise<Search> {
  const { search } = await createSearch(world.ctx, {
    slug,
    topic,
    service,
    operation: 'ai',
    prompt: 'trains',
    every: '15m',
  });
  await rows('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

const ADDRESS = 'https://news.example/trains';

async function save(search: Search, title: string, minutes: number, link = ADDRESS): Promise<void> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(0) });
  const claimed = await claimRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(minutes) });
  const body = {
    search_results: { organic_results: [{ title, link, snippet: `${title} words` }] },
    completion_links: [link],
    search_completion_links: [link],
    completion: {
      summary: `Of the ${title} trains it says much. [1](${link})`,
      key_sources: [{ text: title, url: link }],
    },
  };
  const diff = await saveFindings(world.db, {
    runId,
    fence: claimed?.fence ?? 0,
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: 'ai',
      body: JSON.stringify(body),
      contentType: 'application/json',
      dialect: loadDialect('named'),
      receivedAt: at(minutes),
    }),
    observedAt: at(minutes),
    endedAt: at(minutes),
  });
  expect(diff?.newLinks).toHaveLength(1);
}

/** All that names the links of an address, by side. */
const LINKS = `
SELECT l.simulated, l.title, l.first_seen_at AS at,
  ARRAY(SELECT s.slug FROM strandline.link_sightings g JOIN strandline.searches s ON s.id = g.search_id WHERE g.link_id = l.id ORDER BY 1) AS sighted,
  ARRAY(SELECT s.slug FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
    WHERE d.kind = 'link' AND d.thing = l.id ORDER BY 1) AS discovered,
  ARRAY(SELECT s.slug FROM strandline.completions c JOIN strandline.searches s ON s.id = c.search_id
    WHERE l.id = ANY (c.completion_links) AND l.id = ANY (c.search_completion_links) ORDER BY 1) AS cited,
  ARRAY(SELECT s.slug FROM strandline.completion_claims m JOIN strandline.completions c ON c.id = m.completion_id
    JOIN strandline.searches s ON s.id = c.search_id WHERE l.id = ANY (m.link_ids) ORDER BY 1) AS claimed,
  ARRAY(SELECT s.slug FROM strandline.key_items i JOIN strandline.completions c ON c.id = i.completion_id
    JOIN strandline.searches s ON s.id = c.search_id WHERE i.link_id = l.id ORDER BY 1) AS keyed,
  ARRAY(SELECT s.slug FROM strandline.run_results x JOIN strandline.runs r ON r.id = x.run_id JOIN strandline.searches s ON s.id = r.search_id
    WHERE l.id = ANY (x.link_ids) ORDER BY 1) AS returned,
  ARRAY(SELECT s.slug FROM strandline.observed_items x JOIN strandline.runs r ON r.id = x.run_id JOIN strandline.searches s ON s.id = r.search_id
    WHERE l.id = ANY (x.link_ids) ORDER BY 1) AS observed,
  ARRAY(SELECT v.name FROM strandline.post_links n JOIN strandline.posts p ON p.id = n.post_id JOIN strandline.services v ON v.id = p.service_id
    WHERE n.link_id = l.id ORDER BY 1) AS posted,
  ARRAY(SELECT address FROM strandline.link_addresses a WHERE a.link_id = l.id AND a.simulated = l.simulated ORDER BY 1) AS addresses
FROM strandline.links l WHERE l.url LIKE $1 ORDER BY l.simulated`;

const named = (by: string) => ({
  sighted: [by],
  discovered: [by],
  cited: [by],
  claimed: [by],
  keyed: [by],
  returned: [by],
  observed: [by],
});

test('an address that both sides found is two links, each with its own title, time and mentions', async () => {
  const [real, simulated] = [await newSearch('real', 'hosted'), await newSearch('simulated', 'sandbox')];
  await save(simulated, 'Simulated', 1);
  await save(real, 'Real', 2);
  await rekeyLinks(
    { db: world.db, clock: world.ctx.clock, actor: world.ctx.actor },
    { ...BUILT_IN_RULES, own: [] },
  );
  expect(await rows(LINKS, ['%news.example%'])).toEqual([
    { simulated: false, title: 'Real', at: at(2), ...named('real'), posted: [], addresses: [ADDRESS] },
    {
      simulated: true,
      title: 'Simulated',
      at: at(1),
      ...named('simulated'),
      posted: [],
      addresses: [ADDRESS],
    },
  ]);
});

test('the first search sets the side of a topic; one of the other side is refused with what to do', async () => {
  await newSearch('ferries-ai', 'sandbox', 'ferries');
  expect(await rows(`SELECT simulated FROM strandline.topics WHERE slug = 'ferries'`)).toEqual([
    { simulated: true },
  ]);
  await expect(newSearch('ferries-real', 'hosted', 'ferries')).rejects.toThrow(
    'the topic "ferries" has simulated data, and this search would add real data (service hosted); ' +
      'choose another topic, or the service sandbox',
  );
  await newSearch('boats-ai', 'hosted', 'boats');
  await expect(newSearch('boats-simulated', 'sandbox', 'boats')).rejects.toMatchObject({
    name: 'Refused',
    message: expect.stringContaining('choose another topic, or the service own or hosted'),
  });
  // Also one whose searches were all removed: its history stays.
  await rows(
    `UPDATE strandline.searches SET archived_at = now(), next_due_at = NULL WHERE slug = 'boats-ai'`,
  );
  await expect(newSearch('boats-again', 'sandbox', 'boats')).rejects.toThrow('has real data');
  expect(
    await rows(`SELECT slug FROM strandline.searches WHERE slug ~ '^(ferries|boats)' ORDER BY 1`),
  ).toEqual([{ slug: 'boats-ai' }, { slug: 'ferries-ai' }]);
});

/** The program's migrations before the two sides were separated, without views. */
async function migrationsBefore(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strandline-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  await rm(path.join(folder, 'views'), { recursive: true });
  const file = path.join(folder, 'meta', '_journal.json');
  const journal: { entries: { tag: string }[] } = JSON.parse(await readFile(file, 'utf8'));
  const entries = journal.entries.filter(({ tag }) => tag < '0011');
  await writeFile(file, JSON.stringify({ ...journal, entries }));
  return folder;
}

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

test('the migration splits the topics and the links that both sides share, and nothing is lost or new', async () => {
  const { url, drop } = await emptyDatabase();
  onTestFinished(drop);
  const log = createLogger('silent');
  await migrate({ url, log, folder: await migrationsBefore() });
  const client = await connect(url, 'test');
  onTestFinished(() => client.end());
  const read = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows;
  await client.query(MIXED);
  await migrate({ url, log });

  expect(
    await read(`SELECT t.slug, t.name, t.sample, t.simulated, array_agg(s.slug) FILTER (WHERE s.slug IS NOT NULL) AS searches
      FROM strandline.topics t LEFT JOIN strandline.searches s ON s.topic_id = t.id GROUP BY t.id ORDER BY t.id`),
  ).toEqual([
    { slug: 'ferry', name: 'Ferries', sample: false, simulated: false, searches: ['real'] },
    { slug: 'ferry-simulated', name: 'Taken', sample: false, simulated: false, searches: ['other'] },
    { slug: 'sample', name: 'Sample', sample: true, simulated: true, searches: ['sample'] },
    { slug: 'none', name: 'None', sample: false, simulated: false, searches: null },
    {
      slug: 'ferry-simulated-2',
      name: 'Ferries (simulated)',
      sample: false,
      simulated: true,
      searches: ['simulated'],
    },
  ]);

  const time = Date.UTC(2026, 10, 21, 12);
  const found = async (n: number) => read(LINKS, [`%//${n}.example/`]);
  const addresses = ['https://1.example/'];
  expect(await found(1)).toEqual([
    {
      simulated: false,
      title: 'Title',
      at: new Date(time + 3_600_000),
      ...named('real'),
      posted: ['hosted'],
      addresses,
    },
    {
      simulated: true,
      title: 'Title',
      at: new Date(time),
      ...named('simulated'),
      posted: ['sandbox'],
      addresses,
    },
  ]);
  expect(await found(2)).toMatchObject([
    { simulated: true, cited: ['simulated'], addresses: ['https://2.example/'] },
  ]);
  expect(await found(3)).toMatchObject([
    { simulated: false, cited: ['real'], addresses: ['https://3.example/'] },
  ]);
  expect(await found(4)).toMatchObject([
    { simulated: true, posted: ['sandbox'], addresses: ['https://4.example/'] },
  ]);

  expect(await read('SELECT count(*)::int AS n FROM strandline.discoveries')).toEqual([{ n: 4 }]);
  expect(
    await read(
      `SELECT t.slug, i.key, i.reported FROM strandline.topic_items i JOIN strandline.topics t ON t.id = i.topic_id ORDER BY 1, 2`,
    ),
  ).toEqual([
    { slug: 'ferry', key: 'https://1.example/', reported: true },
    { slug: 'ferry', key: 'https://3.example/', reported: true },
    { slug: 'ferry', key: 'https://purged.example/', reported: true },
    { slug: 'ferry-simulated-2', key: 'https://1.example/', reported: true },
    { slug: 'ferry-simulated-2', key: 'https://2.example/', reported: true },
  ]);
  // The real discovery was a repetition of the simulated one.
  expect(await read('SELECT first_in_topic FROM strandline.discoveries WHERE id = 3')).toEqual([
    { first_in_topic: true },
  ]);
  // The order of links, and which of them are pending.
  expect(
    await read(`SELECT u.n, l.site, l.simulated FROM strandline.pending_derivations p CROSS JOIN unnest(p.new_links) WITH ORDINALITY u(id, n)
      JOIN strandline.links l ON l.id = u.id WHERE p.search_id = 2 ORDER BY 1`),
  ).toEqual([
    { n: '1', site: '1.example', simulated: true },
    { n: '2', site: '2.example', simulated: true },
  ]);
  expect(await read(`SELECT count(*)::int AS n FROM strandline.archive_changes WHERE kind = 'link'`)).toEqual(
    [{ n: 2 }],
  );
  expect(
    await read(
      `SELECT relname FROM pg_class WHERE relname IN ('twins', 'simulated_links', 'split_topics', 'split_items')`,
    ),
  ).toEqual([]);
});
