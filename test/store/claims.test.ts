/** Statements and links over time, on a database: what is new, gone or unknown, and who had it first. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import type { Id } from '../../src/store/db/database.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import {
  type CompletionDiff,
  type DiffRange,
  readCompletionDiff,
} from '../../src/store/queries/completion-diff.ts';
import { readClaimLives } from '../../src/store/queries/claim-lives.ts';
import { readFirstFinders } from '../../src/store/queries/link-pages.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { failRun, insertRun } from '../../src/store/runs/run-states.ts';
import { saveAgain, saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { until } from '../processes.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 12, minutes));
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

async function newSearch(slug: string): Promise<Search> {
  const { search } = await createSearch(world.ctx, { slug, operation: 'ai', prompt: slug, every: '1h' });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

type Told = { summary: string | null; found?: string[]; forum?: string[]; posts?: string[] };

/** An answer of the third generation. */
function read({ summary, found = [], forum = [], posts = [] }: Told) {
  const result = (link: string) => ({ title: `about ${link.slice(8)}`, link, snippet: '' });
  const groups = { search: found.map(result), hacker_news_search: forum.map(result) };
  const answer = { ...groups, tweets: posts.map((id) => wirePost(id)), completion: summary };
  const body = JSON.stringify(answer);
  return parseResponse({ operation: 'ai', body, contentType: null, dialect: loadDialect('named') });
}

async function leased(search: Search, when: Date) {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: when });
  const holding = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: when });
  if (holding === null) throw new Error('not leased');
  return { runId, fence: holding.fence };
}

async function run(search: Search, minutes: number, told: Told): Promise<Id> {
  const { runId, fence } = await leased(search, at(minutes));
  const observed = { observedAt: at(minutes), endedAt: at(minutes) };
  const whose = { runId, fence, searchId: search.id, serviceId: search.service_id };
  if ((await saveFindings(world.db, { ...whose, ...observed, findings: read(told) })) === null)
    throw new Error('not saved');
  return runId;
}

async function again(search: Search, runId: Id, minutes: number, told: Told): Promise<void> {
  const observed = { observedAt: at(minutes), endedAt: at(minutes) };
  const whose = { runId, response: 1, searchId: search.id, serviceId: search.service_id };
  await saveAgain(world.db, { ...whose, ...observed, findings: read(told) }, async () => {});
}

const real = (search: Search) => ({ ...search, simulated: false });

async function diff(search: Search, range: DiffRange = {}): Promise<CompletionDiff> {
  const found = await readCompletionDiff(world.db, real(search), range);
  if (typeof found === 'string') throw new Error(found);
  return found;
}
const texts = (claims: readonly { text: string }[]) => claims.map(({ text }) => text);

test('a statement is stored once per search, with the first and the last completion that contains it', async () => {
  const search = await newSearch('first-and-last');
  const first = await run(search, 0, { summary: 'The port is closed. It was open before.' });
  await run(search, 1, { summary: 'It was OPEN before.' });
  const last = await run(search, 2, { summary: 'The port is  closed.' });
  expect(
    await rows(
      `SELECT text, first_run_id, first_seen_at, last_run_id, last_seen_at, runs_seen, current, cited_returned
       FROM strandline_analytics.claims WHERE search = $1 ORDER BY text DESC`,
      [search.slug],
    ),
  ).toEqual([
    {
      text: 'The port is closed.',
      first_run_id: first,
      first_seen_at: at(0),
      last_run_id: last,
      last_seen_at: at(2),
      runs_seen: 2n,
      current: true,
      cited_returned: null,
    },
    {
      text: 'It was open before.',
      first_run_id: first,
      first_seen_at: at(0),
      last_run_id: expect.anything(),
      last_seen_at: at(1),
      runs_seen: 2n,
      current: false,
      cited_returned: null,
    },
  ]);
  expect(
    await rows(
      'SELECT text, position, new FROM strandline_analytics.completion_claims WHERE search = $1 ORDER BY run_id, position',
      [search.slug],
    ),
  ).toMatchObject([
    { position: 0, new: true },
    { position: 1, new: true },
    { position: 0, new: false },
    { position: 0, new: false },
  ]);
});

test('a cited link that was not returned is marked, and is still stored as a link', async () => {
  const search = await newSearch('not-returned');
  await run(search, 0, {
    summary:
      'One is true [1](https://a.example/1). Two is not [2](https://elsewhere.example/2). Three is bare [9].',
    found: ['https://a.example/1'],
  });
  expect(
    await rows(
      `SELECT c.cited_urls, c.cited_returned, c.unresolved, (SELECT array_agg(l.url) FROM strandline_analytics.links l WHERE l.id = ANY (c.not_returned)) AS missing
       FROM strandline_analytics.claims c WHERE search = $1 ORDER BY id`,
      [search.slug],
    ),
  ).toEqual(
    expect.arrayContaining([
      { cited_urls: ['https://a.example/1'], cited_returned: true, unresolved: [], missing: null },
      {
        cited_urls: ['https://elsewhere.example/2'],
        cited_returned: false,
        unresolved: [],
        missing: ['https://elsewhere.example/2'],
      },
      { cited_urls: [], cited_returned: null, unresolved: [9], missing: null },
    ]),
  );
  expect(
    await rows('SELECT url FROM strandline_analytics.link_sources WHERE search = $1', [search.slug]),
  ).toEqual([{ url: 'https://a.example/1' }]);
});

test('new statements have the link that brought them; gone and re-sourced statements are distinguished', async () => {
  const search = await newSearch('diff');
  const old = 'https://old.example';
  const fresh = 'https://fresh.example';
  const from = await run(search, 0, {
    summary: `The port is closed [1](${old}). Nobody was hurt [1](${old}). It rained all day [1](${old}).`,
    found: [old],
  });
  const to = await run(search, 60, {
    summary: `The port is closed [1](${old}). Nobody was hurt [1](${fresh}). A crane fell down [1](${fresh}) [2](${old}).`,
    found: [fresh, old],
  });
  const found = await diff(search);
  expect(found).toMatchObject({
    from: { run_id: from, observed_at: at(0), claims: 3 },
    to: { run_id: to, observed_at: at(60), claims: 3 },
    gaps: { between: 0, after: 0 },
    kept: 1,
    new_claims: [
      {
        text: 'A crane fell down.',
        role: 'summary',
        brought_by: [
          { url: fresh, title: 'about fresh.example', source: 'web', first_seen_at: at(60), returned: true },
        ],
        cited: [{ url: fresh }, { url: old, first_seen_at: at(0) }],
      },
    ],
    gone_claims: [{ text: 'It rained all day.' }],
    changed_claims: [{ text: 'Nobody was hurt.', cited_new: [{ url: fresh }], cited_gone: [{ url: old }] }],
  });
});

test('another wording is the same statement if its figures are the same', async () => {
  const search = await newSearch('wording');
  const cite = (n: number) => `[1](https://w.example/${n})`;
  const trams = `Trams were late ${cite(2)}.`;
  const carried = (figure: string) =>
    `According to the harbour, ${figure} passengers were carried by the ferries`;
  await run(search, 0, { summary: `${carried('4,100')} ${cite(1)}. ${trams}` });
  await run(search, 1, {
    summary: `The ferries carried 4,100 passengers, the harbour said ${cite(1)}. ${trams}`,
  });
  expect(await diff(search)).toMatchObject({ changed: false, new_claims: [], gone_claims: [], kept: 2 });
  await run(search, 2, { summary: `${carried('9,300')} ${cite(1)}. ${trams}` });
  const revised = await diff(search);
  expect(revised.new_claims).toEqual([]);
  expect(texts(revised.revised_claims), 'another figure').toEqual([`${carried('9,300')}.`]);
  await run(search, 3, { summary: `${carried('9,300')} ${cite(3)}. ${trams}` });
  expect(await diff(search), 'another link').toMatchObject({
    changed: false,
    new_claims: [],
    changed_claims: [{ cited_new: [{ url: 'https://w.example/3' }] }],
    citations: { added: 1, removed: 1 },
  });
  await run(search, 4, { summary: `Here is what happened. ${carried('9,300')} ${cite(3)}. ${trams}` });
  expect(
    await rows('SELECT changed FROM strandline.completions WHERE search_id = $1 ORDER BY observed_at', [
      search.id,
    ]),
    'an introduction is no change',
  ).toEqual([false, false, true, false, false].map((changed) => ({ changed })));
});

test('a statement in several texts of a completion is one, with the links of all', async () => {
  const search = await newSearch('copies');
  await run(search, 0, { summary: 'It rained all day.' });
  await run(search, 1, {
    summary:
      'A lock of the old harbour broke [1](https://w.example/1). A lock of the old harbour broke today [2](https://w.example/2).',
  });
  expect((await diff(search)).new_claims).toMatchObject([
    {
      text: 'A lock of the old harbour broke.',
      roles: ['summary'],
      cited: [{ url: 'https://w.example/1' }, { url: 'https://w.example/2' }],
    },
  ]);
});

test('a failed run and a run without a completion are gaps: no statement is gone because of them', async () => {
  const search = await newSearch('gaps');
  const first = await run(search, 0, { summary: 'The port is closed.' });
  const fail = async (minutes: number) => {
    const { runId, fence } = await leased(search, at(minutes));
    await failRun(world.db, {
      runId,
      fence,
      code: 'upstream_5xx',
      reason: null,
      rejects: null,
      now: at(minutes),
    });
  };
  await fail(1);
  await run(search, 2, { summary: null, found: ['https://a.example'] });
  const second = await run(search, 3, { summary: 'The port is closed. It will open soon.' });
  await fail(4);
  expect(await diff(search)).toMatchObject({
    from: { run_id: first },
    to: { run_id: second },
    gaps: { between: 2, after: 1 },
    gone_claims: [],
    kept: 1,
  });
  expect(
    await rows('SELECT current FROM strandline_analytics.claims WHERE search = $1', [search.slug]),
  ).toEqual([{ current: true }, { current: true }]);
});

test('compares with the last completion at the given time; before the first, with the first, and says so', async () => {
  const search = await newSearch('since');
  const runs = [];
  for (const minutes of [10, 20, 30])
    runs.push(await run(search, minutes, { summary: `It is ${minutes} past noon.` }));
  const [first, second, third] = runs;
  const ends = async (range: DiffRange) => {
    const { from, to, from_first } = await diff(search, range);
    return [from.run_id, to.run_id, from_first];
  };
  expect(await ends({})).toEqual([second, third, false]);
  expect(await ends({ since: at(20) })).toEqual([second, third, false]);
  expect(await ends({ since: at(19) })).toEqual([first, third, false]);
  expect(await ends({ since: at(5) })).toEqual([first, third, true]);
  expect(await ends({ from: first, to: second })).toEqual([first, second, false]);
  expect(await readCompletionDiff(world.db, real(search), { from: third, to: first })).toBe('no_from');
  expect(await readCompletionDiff(world.db, real(search), { to: first })).toBe('no_from');
  expect(await readCompletionDiff(world.db, real(await newSearch('nothing')), {})).toBe('no_to');
});

test('parsing a response again sets its statements at their original time, and removes those it no longer contains', async () => {
  const search = await newSearch('again');
  const first = await run(search, 0, { summary: 'The port is closed. Misread it was.' });
  const third = await run(search, 2, { summary: 'The port is closed. A crane fell down.' });
  const second = await run(search, 1, { summary: 'The port is closed. It rains today.' });
  const known = () =>
    rows(
      'SELECT text, first_run_id, first_seen_at, runs_seen FROM strandline_analytics.claims WHERE search = $1 ORDER BY text',
      [search.slug],
    );
  await again(search, first, 0, { summary: 'It rains today. [1](https://a.example)' });
  expect(await known()).toEqual([
    { text: 'A crane fell down.', first_run_id: third, first_seen_at: at(2), runs_seen: 1n },
    { text: 'It rains today.', first_run_id: first, first_seen_at: at(0), runs_seen: 2n },
    { text: 'The port is closed.', first_run_id: second, first_seen_at: at(1), runs_seen: 2n },
  ]);
  const before = await known();
  await again(search, first, 0, { summary: 'It rains today. [1](https://a.example)' });
  expect(await known(), 'read a third time, nothing changes').toEqual(before);
});

test('a completion stored before statements existed is not compared: its statements are unknown', async () => {
  const search = await newSearch('older');
  const older = await run(search, 0, { summary: 'The port is closed.' });
  await world.db.pool.query(
    'DELETE FROM strandline.completion_claims USING strandline.completions c WHERE c.id = completion_id AND c.run_id = $1',
    [older],
  );
  await world.db.pool.query('UPDATE strandline.completions SET claims = NULL WHERE run_id = $1', [older]);
  await run(search, 1, { summary: 'The port is closed.' });
  expect(await readCompletionDiff(world.db, real(search), {})).toBe('no_from');
  await again(search, older, 0, { summary: 'The port is closed.' });
  expect(await diff(search)).toMatchObject({ new_claims: [], kept: 1 });
});

test('lists the ranks of a link over time, in its group and in the response', async () => {
  const search = await newSearch('ranks');
  const [a, b, c] = ['https://rank.example/a', 'https://rank.example/b', 'https://rank.example/c'];
  await run(search, 0, { summary: null, found: [a, b], forum: [c] });
  await run(search, 1, { summary: null, found: [b], forum: [a] });
  await run(search, 2, { summary: null, found: [b] });
  expect(
    await rows(
      'SELECT observed_at, source, rank, place FROM strandline_analytics.link_ranks WHERE search = $1 AND url = $2 ORDER BY observed_at',
      [search.slug, a],
    ),
  ).toEqual([
    { observed_at: at(0), source: 'web', rank: 1, place: 1 },
    { observed_at: at(1), source: 'news_forum', rank: 1, place: 2 },
  ]);
  expect(
    await rows(
      'SELECT source, rank, place FROM strandline_analytics.link_ranks WHERE search = $1 AND url = $2',
      [search.slug, c],
    ),
  ).toEqual([{ source: 'news_forum', rank: 1, place: 3 }]);
});

test('shows who had a link first and by how much; a baseline gives no lead time', async () => {
  const [one, two, late] = [await newSearch('one'), await newSearch('two'), await newSearch('late')];
  const link = 'https://scoop.example/story';
  for (const search of [one, two]) await run(search, 0, { summary: null, found: ['https://other.example'] });
  await run(two, 10, { summary: null, forum: [link] });
  await run(one, 13, { summary: null, found: [link] });
  await run(late, 20, { summary: null, found: [link] });
  expect(
    await rows(
      'SELECT search, source, nth, searches, baseline, lead_seconds FROM strandline_analytics.link_sources WHERE url = $1 ORDER BY nth',
      [link],
    ),
  ).toEqual([
    { search: 'two', source: 'news_forum', nth: 1, searches: 3, baseline: false, lead_seconds: 180 },
    { search: 'one', source: 'web', nth: 2, searches: 3, baseline: false, lead_seconds: null },
    { search: 'late', source: 'web', nth: 3, searches: 3, baseline: true, lead_seconds: null },
  ]);
  expect(await readFirstFinders(world.db, { search: 'one', since: at(5), limit: 10 })).toMatchObject([
    {
      url: link,
      search: 'two',
      first_seen_at: at(10),
      lead_seconds: 180,
      title: 'about scoop.example/story',
    },
  ]);
});

test('a cited post was found with the post; forgetting its author removes the statements that cite it', async () => {
  const search = await newSearch('forgotten');
  const url = String(wirePost('7700')['url']);
  const told = {
    summary: `Somebody said a thing [1](${url}). The port is closed [2](https://a.example/port).`,
    found: ['https://a.example/port'],
    posts: ['7700'],
  };
  await run(search, 0, { summary: 'It rains today.' });
  await run(search, 1, told);
  const [, said] = (await diff(search)).new_claims.toReversed();
  expect(said).toMatchObject({
    text: 'Somebody said a thing.',
    brought_by: [{ source: 'microblog', first_seen_at: at(1), returned: true }],
  });

  const author = await findAuthor(world.db, 'hosted', '@user_7700');
  if (author === undefined) throw new Error('no author');
  const gone = await forgetAuthor(world.ctx, author);
  expect(gone['claims']).toBe(1);
  await run(search, 3, told);
  const known = await rows(
    'SELECT text, runs_seen FROM strandline_analytics.claims WHERE search = $1 ORDER BY text',
    [search.slug],
  );
  expect(known).toEqual([
    { text: 'It rains today.', runs_seen: 1n },
    { text: 'The port is closed.', runs_seen: 2n },
  ]);
});

test('two runs of two searches with the same statement each store it', async () => {
  const searches = [await newSearch('at-once-a'), await newSearch('at-once-b')];
  const said = ['The port is closed.', 'It rains today.', 'A crane fell down.'];
  await Promise.all(
    searches.map((search, i) => run(search, 0, { summary: (i === 0 ? said : said.toReversed()).join(' ') })),
  );
  for (const { slug } of searches) {
    expect(
      await rows('SELECT count(*)::int AS n FROM strandline_analytics.claims WHERE search = $1', [slug]),
    ).toEqual([{ n: 3 }]);
  }
});

test('a response that is parsed again while another is saved leaves the statements that both contain', async () => {
  const search = await newSearch('claims-at-once');
  const told = { summary: 'The night train to Pont-Aubry is late today [1](https://a.example/1).' };
  const first = await run(search, 1, told);
  const blocker = await world.db.pool.connect();
  try {
    await blocker.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('strandline.discoveries'))`);
    const isWaiting = (n: number) => async () => {
      const [waiting] = await rows(`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return waiting?.['n'] === n;
    };
    // Its statements are saved; a new link is a discovery, for which it waits.
    const second = run(search, 2, { ...told, found: ['https://b.example/2'] });
    await until('the save waits', isWaiting(1));
    const parsed = again(search, first, 1, told);
    await until('both wait', isWaiting(2));
    await blocker.query('COMMIT');
    await Promise.all([second, parsed]);
  } finally {
    blocker.release();
  }
  expect(
    await rows(
      `SELECT c.claims, count(m.claim_id)::int AS stored, c.statements_kept FROM strandline.completions c
       LEFT JOIN strandline.completion_claims m ON m.completion_id = c.id WHERE c.search_id = $1 GROUP BY c.id ORDER BY c.observed_at`,
      [search.id],
    ),
  ).toEqual([
    { claims: 1, stored: 1, statements_kept: null },
    { claims: 1, stored: 1, statements_kept: 1 },
  ]);
});

test('a statement of the newest answer has its first time, its first source, and in how many answers since it was', async () => {
  const search = await newSearch('claim-lives');
  const [first, second] = ['https://news.example/a', 'https://news.example/b'];
  await run(search, 0, { summary: 'Nothing is known.' });
  const since = await run(search, 1, {
    summary: `Repairs take 25 weeks [1](${first}). The port is closed.`,
    found: [first],
  });
  await run(search, 2, { summary: null });
  await run(search, 3, { summary: 'The port is CLOSED.' });
  const newest = await run(search, 4, {
    summary: `A ferry sails. Repairs take 36 weeks [1](${second}). The port is closed.`,
    found: [second],
  });
  const lives = await readClaimLives(world.db, { searchId: search.id, limit: 10 });
  expect(lives).toMatchObject([
    { text: 'A ferry sails.', first_run_id: newest, first_at: at(4), stated: 1, answers: 1, source: null },
    {
      text: 'Repairs take 36 weeks.',
      first_run_id: since,
      first_at: at(1),
      stated: 2,
      answers: 3,
      source: 'about news.example/a',
    },
    { text: 'The port is closed.', first_run_id: since, first_at: at(1), stated: 3, answers: 3 },
  ]);
  expect(await readClaimLives(world.db, { searchId: search.id, limit: 1 })).toEqual([lives[0]]);
  const silent = await newSearch('claim-lives-none');
  expect(await readClaimLives(world.db, { searchId: silent.id, limit: 10 })).toEqual([]);
});
