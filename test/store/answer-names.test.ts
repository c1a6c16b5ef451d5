/** Names in answers, on a database: in how many of the answers that were read each name is. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { removeName, setName } from '../../src/monitor/names/manage-names.ts';
import { rewatchTopic } from '../../src/monitor/topics/rewatch-topic.ts';
import { createSearch, editSearch } from '../../src/monitor/topics/save-search.ts';
import { rebuildTrends } from '../../src/monitor/derive/follower.ts';
import { findMatches } from '../../src/store/alerts/item-matches.ts';
import { readEntries } from '../../src/store/alerts/reportable-discoveries.ts';
import { parseQuery } from '../../src/model/search-query.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { type Id, inTransaction } from '../../src/store/db/database.ts';
import { lockFollowing } from '../../src/store/derive/pending-derivations.ts';
import { readAnswersOfRuns } from '../../src/store/derive/read-answer-names.ts';
import { isReadingAgain, readNamesInAnswers } from '../../src/store/queries/names-in-answers.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { failRun, insertRun } from '../../src/store/runs/run-states.ts';
import { saveAgain, saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { homeOf } from '../cli/stand.ts';
import { personAt } from '../web/pages/person.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const NOON = Date.UTC(2026, 10, 21, 12);
const at = (hours: number) => new Date(NOON + hours * HOUR);
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

let topic = '';
let nth = 0;
let search: Search;
beforeEach(async () => {
  nth += 1;
  topic = `names-${nth}`;
  search = await newSearch(`${topic}-ai`);
});

async function newSearch(slug: string): Promise<Search> {
  world.clock.set(at(-48));
  const made = await createSearch(world.ctx, {
    slug,
    topic,
    operation: 'ai',
    prompt: slug,
    every: '1h',
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [made.search.id]);
  return made.search;
}

/** An answer with citations as addresses, of the third generation. */
const read = (completion: string | null, found: readonly string[] = []) =>
  parseResponse({
    operation: 'ai',
    body: JSON.stringify({
      search: found.map((link) => ({ title: 'A page', link, snippet: '' })),
      completion:
        completion === null ? null : completion + found.map((link, i) => ` [${i + 1}](${link})`).join(''),
    }),
    contentType: null,
    dialect: loadDialect('named'),
  });

async function answer(
  hours: number,
  text: string | null,
  { found = [], of = search }: { found?: readonly string[]; of?: Search } = {},
): Promise<Id> {
  const runId = await insertRun(world.db.pool, { searchId: of.id, trigger: 'manual', now: at(hours) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(hours) });
  if (leased === null) throw new Error('not leased');
  const saved = await saveFindings(world.db, {
    runId,
    fence: leased.fence,
    searchId: of.id,
    serviceId: of.service_id,
    findings: read(text, found),
    observedAt: at(hours),
    endedAt: at(hours),
  });
  if (saved === null) throw new Error('not saved');
  return runId;
}

const set = (name: string, more: Omit<Parameters<typeof setName>[2], 'name'> = {}) =>
  setName(world.ctx, topic, { name, ...more });

/** Moves a search to a service of its own. */
async function move(moved: Search): Promise<string> {
  const service = `own-${nth}`;
  await rows(
    `WITH made AS (INSERT INTO strandline.services (name, kind, dialect, created_at) VALUES ($2, 'own', 'named', now()) RETURNING id)
     UPDATE strandline.searches SET service_id = (SELECT id FROM made) WHERE id = $1`,
    [moved.id, service],
  );
  return service;
}

async function derive(): Promise<void> {
  world.clock.set(at(200));
  await world.derive();
}

/** `Acme: 2 of 3`, as the doors read it. */
async function list(): Promise<string[]> {
  await derive();
  const names = await readNamesInAnswers(world.db, { topic, from: at(-1_000), until: at(1_000) });
  return names.map(
    ({ name, present, answers, named, cited }) =>
      `${name}: ${present} of ${answers} (${named} named, ${cited} cited)`,
  );
}

test('counts answers that name it, cite it, or both, of those that were read', async () => {
  await set('Harbour Line', { aliases: ['HL'], domains: ['harbour.example'] });
  await set('Island Ferries', { side: 'rival' });
  await answer(0, 'Harbour Line sails again.');
  await answer(1, 'HL sails, and Island Ferries do not.', { found: ['https://news.harbour.example/a'] });
  await answer(2, 'A ferry sails.', { found: ['https://www.harbour.example/b'] });
  await answer(3, 'Nobody sails.', { found: ['https://news.example/harbour.example'] });
  expect(await list()).toEqual([
    'Harbour Line: 3 of 4 (2 named, 2 cited)',
    'Island Ferries: 1 of 4 (1 named, 0 cited)',
  ]);
});

test('a failed run, a run without an answer and an answer without a text are not among the answers', async () => {
  await set('Harbour Line');
  await answer(0, 'Harbour Line sails.');
  await answer(1, null, { found: ['https://harbour.example/'] });
  await answer(2, '…');
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(3) });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at(3) });
  await failRun(world.db, {
    runId,
    fence: leased?.fence ?? 0,
    code: 'stream_incomplete',
    reason: null,
    rejects: null,
    now: at(3),
  });
  expect(await list()).toEqual(['Harbour Line: 1 of 1 (1 named, 0 cited)']);
});

test('a day without an answer has no row, and a day without the name has the share 0', async () => {
  await set('Harbour Line');
  await answer(0, 'Harbour Line sails.');
  await answer(1, 'Nobody sails.');
  await answer(72, 'Nobody sails.');
  await derive();
  expect(
    await rows(
      `SELECT search, service, service_kind, name, side, bucket_at, answers::int, present::int, share
       FROM strandline_analytics.names_in_answers WHERE topic = $1 ORDER BY bucket_at`,
      [topic],
    ),
  ).toEqual(
    [
      { bucket_at: new Date(NOON - 12 * HOUR), answers: 2, present: 1, share: 0.5 },
      { bucket_at: new Date(NOON - 12 * HOUR + 3 * DAY), answers: 1, present: 0, share: 0 },
    ].map((day) => ({
      search: search.slug,
      service: 'hosted',
      service_kind: 'hosted',
      name: 'Harbour Line',
      side: 'own',
      ...day,
    })),
  );
});

test('a name that is added, changed or removed is looked for in all answers, earlier ones too', async () => {
  await answer(0, 'Harbour Line sails.');
  await answer(1, 'HL sails.');
  expect(await list()).toEqual([]);
  await set('Harbour Line');
  expect(await isReadingAgain(world.db, topic)).toBe(true);
  expect(await list()).toEqual(['Harbour Line: 1 of 2 (1 named, 0 cited)']);
  expect(await isReadingAgain(world.db, topic)).toBe(false);
  await set('harbour line', { aliases: ['HL'] });
  expect(await list()).toEqual(['harbour line: 2 of 2 (2 named, 0 cited)']);
  await set('Harbour');
  expect(await list()).toEqual([
    'harbour line: 2 of 2 (2 named, 0 cited)',
    'Harbour: 0 of 2 (0 named, 0 cited)',
  ]);
  await removeName(world.ctx, topic, 'HARBOUR line');
  expect(await list()).toEqual(['Harbour: 1 of 2 (1 named, 0 cited)']);
  await removeName(world.ctx, topic, 'Harbour');
  expect(await list()).toEqual([]);
});

test('until an answer is read for the new names, it is not among the answers', async () => {
  await set('Harbour Line');
  await answer(0, 'Harbour Line sails.');
  await derive();
  await set('Island');
  const names = await readNamesInAnswers(world.db, { topic, from: at(-1_000), until: at(1_000) });
  expect(names).toEqual([]);
});

test('hundreds of answers of several searches are each read once', async () => {
  const other = await newSearch(`${topic}-other`);
  const saved = await answer(0, 'Harbour Line sails.');
  await answer(0, 'Nobody sails.', { of: other });
  for (const [of, count] of [
    [search, 340],
    [other, 290],
  ] as const)
    await world.db.pool.query(
      `WITH r AS (
         INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, ended_at, fence, leases, items_seen, items_new, rejected, baseline)
         SELECT search_id, version, request_version, trigger, status, created_at, ended_at, fence, leases, items_seen, items_new, rejected, false
         FROM strandline.runs CROSS JOIN generate_series(1, $3) WHERE id = $2 RETURNING id
       ) INSERT INTO strandline.completions (run_id, search_id, observed_at, changed, summary, completion_links, search_completion_links, warnings)
       SELECT id, $1, $4, false, 'Harbour Line', '{}', '{}', '[]' FROM r`,
      [of.id, saved, count, at(1)],
    );
  await set('Harbour Line');
  expect(await list()).toEqual(['Harbour Line: 631 of 632 (631 named, 0 cited)']);
});

test('a response that is parsed again is read again, and may become none', async () => {
  await set('Harbour Line');
  const runId = await answer(0, 'Harbour Line sails.');
  await answer(1, 'Harbour Line sails.');
  expect(await list()).toEqual(['Harbour Line: 2 of 2 (2 named, 0 cited)']);
  const again = async (text: string) => {
    await saveAgain(
      world.db,
      {
        runId,
        response: 1,
        searchId: search.id,
        serviceId: search.service_id,
        findings: read(text),
        observedAt: at(0),
        endedAt: at(5),
      },
      async () => {},
    );
    return list();
  };
  expect(await again('Nobody sails.')).toEqual(['Harbour Line: 1 of 2 (1 named, 0 cited)']);
  expect(await again('…')).toEqual(['Harbour Line: 1 of 1 (1 named, 0 cited)']);
  expect(await again('Harbour Line.')).toEqual(['Harbour Line: 2 of 2 (2 named, 0 cited)']);
});

test('an answer that is being read while the names change is read again', async () => {
  await set('Harbour Line');
  const runId = await answer(0, 'Island sails.');
  await inTransaction(world.db, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    expect(await lockFollowing(tx)).toBe(true);
    // From here on the batch sees the names as they were.
    await set('Island');
    expect(await readAnswersOfRuns(tx, [runId])).toBe(1);
  });
  expect(await rows('SELECT version FROM strandline.answer_names WHERE search_id = $1', [search.id])).toEqual(
    [{ version: 1 }],
  );
  expect(await list()).toEqual([
    'Island: 1 of 1 (1 named, 0 cited)',
    'Harbour Line: 0 of 1 (0 named, 0 cited)',
  ]);
});

test('answers of two services are never added together', async () => {
  await set('Harbour Line');
  await answer(0, 'Harbour Line sails.');
  const other = await newSearch(`${topic}-own`);
  const moved = await move(other);
  await answer(0, 'Nobody sails.', { of: other });
  await derive();
  const names = await readNamesInAnswers(world.db, { topic, from: at(-1_000), until: at(1_000) });
  expect(names.map(({ service, present, answers }) => [service, present, answers])).toEqual([
    ['hosted', 1, 1],
    [moved, 0, 1],
  ]);
});

/** What was reported, as the feed has it. */
const readReported = () =>
  rows(
    `SELECT d.text, d.first_in_topic, k.change, k.before, k.present, k.missing FROM strandline_analytics.discoveries d
     JOIN strandline_analytics.name_changes k ON k.run_id = d.run_id AND d.text = k.sentence
     WHERE d.topic = $1 AND d.kind = 'name' ORDER BY d.id`,
    [topic],
  );

test('a name that enters the answers or leaves them is reported once, with what it was compared with', async () => {
  await set('Harbour Line');
  await set('Island');
  // The first answer is a baseline.
  for (let hour = 0; hour < 7; hour += 1) await answer(hour, 'Island sails.');
  expect(await list()).toHaveLength(2);
  expect(await readReported()).toEqual([]);
  await answer(7, 'Harbour Line and Island sail.');
  await derive();
  const entered = {
    text: 'Harbour Line entered the answers of the service "hosted": in the answer of 21 Nov 2026, 19:00 UTC, in none of the 7 before.',
    first_in_topic: true,
    change: 'entered',
    before: 7,
    present: 0,
    missing: 7,
  };
  expect(await readReported()).toEqual([entered]);
  for (let hour = 8; hour < 14; hour += 1) await answer(hour, 'Harbour Line sails.');
  await derive();
  expect(await readReported()).toEqual([
    entered,
    expect.objectContaining({ change: 'left', before: 8, present: 8, missing: 3 }),
  ]);
  await rebuildTrends(world.ctx, search.id);
  expect(await readReported()).toHaveLength(2);
});

test('answers of an earlier request are not compared', async () => {
  await set('Harbour Line');
  for (let hour = 0; hour < 7; hour += 1) await answer(hour, 'Nobody sails.');
  await derive();
  await editSearch(world.ctx, search.slug, { prompt: 'another question' });
  await rows('DELETE FROM strandline.runs WHERE search_id = $1 AND ended_at IS NULL', [search.id]);
  await answer(7, 'Harbour Line sails.');
  await answer(8, 'Harbour Line sails.');
  await derive();
  expect(await readReported()).toEqual([]);
});

test('a rule on names reports the sentence, filtered by it', async () => {
  await set('Harbour Line');
  for (let hour = 0; hour < 6; hour += 1) await answer(hour, 'Nobody sails.');
  await answer(6, 'Harbour Line sails.');
  await derive();
  const [discovery] = await rows(
    `SELECT id FROM strandline_analytics.discoveries WHERE topic = $1 AND kind = 'name'`,
    [topic],
  );
  const entries = await readEntries(world.db.pool, [discovery.id]);
  expect(entries).toMatchObject([{ kind: 'name', name: { name: 'Harbour Line', change: 'entered' } }]);
  const [matching, other] = await findMatches(
    world.db.pool,
    [parseQuery('harbour line', 'query'), parseQuery('island', 'query')],
    entries,
    at(10),
  );
  expect([matching?.size, other?.size]).toEqual([1, 0]);
});

test('names go with a topic to its successor', async () => {
  await set('Harbour Line', { aliases: ['HL'], side: 'rival' });
  await move(search);
  await rewatchTopic(world.ctx, topic, { slug: `${topic}-2`, service: 'hosted' });
  expect(
    await rows(`SELECT name, side, aliases FROM strandline_analytics.topic_names WHERE topic = $1`, [
      `${topic}-2`,
    ]),
  ).toEqual([{ name: 'Harbour Line', side: 'rival', aliases: ['HL'] }]);
});

test.each<[Parameters<typeof setName>[2], string, string]>([
  [{ name: '+' }, 'name', 'at least two letters'],
  [{ name: 'Taken' }, '', ''],
  [{ name: 'Other', aliases: ['fine', 'TAKEN'] }, 'aliases[1]', 'belongs to the name "Taken"'],
  [{ name: 'Other', domains: ['no domain'] }, 'domains[0]', 'a domain'],
  [{ name: 'Other', domains: ['taken.example'] }, 'domains[0]', 'belongs to the name "Taken"'],
  [{ name: 'Other', aliases: Array.from({ length: 21 }, (_, i) => `form ${i}`) }, 'aliases', 'at most 20'],
])('%j is refused at %j: %s', async (written, path, words) => {
  await set('Taken', { domains: ['taken.example'] });
  const put = setName(world.ctx, topic, written);
  if (path === '') await expect(put).resolves.toMatchObject({ side: expect.any(String) });
  else
    await expect(put).rejects.toMatchObject({
      problems: [{ path, expected: expect.stringContaining(words) }],
    });
});

test('a topic has at most 50 names', async () => {
  for (let i = 0; i < 50; i += 1) await set(`name ${i}`);
  await expect(set('one more')).rejects.toMatchObject({ kind: 'conflict' });
  await expect(set('name 7', { side: 'rival' })).resolves.toMatchObject({ side: expect.any(String) });
});

test('the page of names shows the share of seven days with its answers, and when a name entered', async () => {
  await set('Harbour Line');
  await derive();
  for (let day = 0; day < 8; day += 1)
    await answer(day * 24, day < 6 ? 'Nobody sails.' : 'Harbour Line sails.');
  world.clock.set(at(7 * 24 + 1));
  await world.derive();
  const app = await buildHttpServer(homeOf(world), WEB);
  try {
    const { html } = await personAt(app).get(`/topics/${topic}/names`);
    const rowOf = (day: number) =>
      new RegExp(
        `<time dateTime="${at(day * 24)
          .toISOString()
          .slice(0, 10)}[^"]*">[^<]*</time></th>(.*?)</tr>`,
        'i',
      ).exec(html)?.[1];
    expect(rowOf(-1)).toContain('not observed');
    expect(rowOf(5)).toMatch(/0 %.*\(0 of 6\)/);
    // The first of eight days is no longer among the seven.
    expect(rowOf(7)).toMatch(/28\.6 %.*\(2 of 7\)/);
    expect(html).toMatch(/data-mark="version"[^>]*data-short="Harbour Line entered"/);
  } finally {
    await app.close();
  }
});
