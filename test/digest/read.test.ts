/** What a digest says about a span, against what was played in it, on a real database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { composeSections } from '../../src/monitor/digests/digest-sections.ts';
import { Digest, type DigestItem, saysSomething } from '../../src/monitor/digests/digest-shapes.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { readDigest } from '../../src/monitor/digests/read-digest.ts';
import { readSpanCoverage } from '../../src/store/queries/span-activity.ts';
import { readLastDiscoveryId } from '../../src/store/queries/discoveries.ts';
import { makeWorld, type World } from '../world.ts';
import { at, failAt, findAnswer, findPosts, watch } from './stage.ts';

const OLD = 'https://old.example/a';
const FRESH = 'https://fresh.example/b';
const span = { from: at(0), until: at(240), tz: 'UTC' };

let world: World;
let digest: Digest;

beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  const ferry = await watch(world, 'ferry-posts', 'ferry');
  const answers = await watch(world, 'ferry-ai', 'ferry', 'ai');
  const quiet = await watch(world, 'quiet-posts', 'quiet');
  const failing = await watch(world, 'failing-posts', 'failing');
  await watch(world, 'never-posts', 'never');

  // What was there at the start is not new.
  const known = { id: '1', text: 'there at the start', created_at: at(-121).toISOString() };
  const same = { ...known, id: '90' };
  await findPosts(world, ferry, -120, [known]);
  await findPosts(world, quiet, -120, [same]);
  await findPosts(world, failing, -120, [{ id: '95', text: 'before it failed' }]);
  await findAnswer(world, answers, -120, `The port is closed [1](${OLD}). It rained [1](${OLD}) all day.`, [
    OLD,
  ]);

  const posts = [
    { id: '2', text: 'Ferry 7 is back in the harbour', like_count: 900 },
    { id: '3', text: 'Ferry 7 is back in the harbour https://a.example/1', like_count: 40 },
    { id: '4', text: '@ines Ferry 7 is back in the harbour!', like_count: 5 },
    { id: '5', text: 'Tickets are sold out', like_count: 60 },
    { id: '6', text: 'Waves at the pier', like_count: 50 },
    { id: '7', text: 'Nobody likes this', like_count: 0 },
    known,
  ];
  await findPosts(world, ferry, 60, posts);
  await findPosts(world, quiet, 60, [same]);
  await failAt(world, failing, 60, 'upstream_5xx');
  await failAt(world, failing, 120, 'timeout_headers');
  await failAt(world, failing, 180, 'upstream_5xx');
  await findAnswer(
    world,
    answers,
    120,
    `The port is closed [1](${OLD}). Service resumes on Monday morning [2](${FRESH}).`,
    [OLD, FRESH],
  );
  await world.db.pool.query(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, reason, slot_at, span_until, span_slots, created_at, ended_at)
     VALUES ($1, 1, 1, 'schedule', 'skipped', 'missed', $2, $3, 5, $4, $4)`,
    [quiet.id, at(70), at(110), at(120)],
  );
  // Of three calls, one was never sent and one has no price.
  await world.db.pool.query(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, cost_usd, sent_at, refunded)
     SELECT r.id, u.n, s.service_id, 1, 'received', u.cost, $2, u.refunded
     FROM strandline.searches s JOIN strandline.runs r ON r.search_id = s.id AND r.ended_at = $2
     CROSS JOIN (VALUES (1, 0.25, false), (2, NULL, false), (3, 0.75, true)) u(n, cost, refunded)
     WHERE s.id = $1`,
    [ferry.id, at(60)],
  );
  world.clock.set(at(240));
  digest = await readDigest(world.ctx, span);
});
afterAll(() => world.close());

const withoutTime = ({ kind, id, text, author, copies, authors }: DigestItem) => ({
  kind,
  id,
  text,
  author,
  copies,
  authors,
});

test('what was collected, what it cost, and that a missing price is not zero', () => {
  expect(Digest.safeParse(digest).error?.issues).toBeUndefined();
  expect(digest.collected).toMatchObject({
    topics: 4,
    searches: 5,
    runs: { succeeded: 3, failed: 3, skipped: 5 },
    calls: 2,
    cost_usd: 0.25,
    calls_without_cost: 1,
    free: false,
  });
});

test('the observed share counts the parts of quarters of an hour that are in the span, from the creation of a search on', async () => {
  const search = await watch(world, 'covered-posts', 'covered');
  const { id } = search;
  await findPosts(world, search, -600, [{ id: '200' }]);
  const volume = async (minutes: number, observed: string, ms: number) =>
    world.db.pool.query(
      `INSERT INTO strandline.volume (search_id, bucket_at, posts, cut, observed, exposure_ms) VALUES ($1, $2, 0, false, $3, $4)`,
      [id, at(minutes), observed, ms],
    );
  await volume(0, '{[0,900000)}', 900_000);
  await volume(15, '{[0,900000)}', 900_000);
  await volume(30, '{[0,60000),[240000,900000)}', 720_000);
  const share = async (from: number, until: number) => {
    const [row] = await readSpanCoverage(world.db, { searchIds: [id], from: at(from), until: at(until) });
    return [(row?.observed_ms ?? 0) / MINUTE, (row?.span_ms ?? 0) / MINUTE];
  };
  expect(await share(0, 60)).toEqual([42, 60]);
  expect(await share(5, 35)).toEqual([10 + 15 + 1 + 1, 30]);
  expect(await share(31, 34)).toEqual([0, 3]);
  await world.db.pool.query(
    'UPDATE strandline.searches SET created_at = $2, archived_at = $3, next_due_at = NULL WHERE id = $1',
    [id, at(10), at(32)],
  );
  expect(await share(0, 60)).toEqual([5 + 15 + 1, 22]);
});

test('what was not collected, most important first', () => {
  const gaps = digest.not_collected.filter(({ reason }) => reason !== 'tool' && reason !== 'incomplete');
  expect(gaps).toEqual([
    { reason: 'missed', searches: 1, slots: 5, from: at(70).toISOString(), until: at(110).toISOString() },
    {
      reason: 'failed',
      topic: 'failing',
      topic_name: 'failing',
      search: 'failing-posts',
      search_name: 'failing: Posts',
      runs: 3,
      of: 3,
      detail: 'the service returned an error',
    },
    {
      reason: 'never_ran',
      topic: 'never',
      topic_name: 'never',
      search: 'never-posts',
      search_name: 'never: Posts',
    },
  ]);
});

test('what needs a person', () => {
  expect(
    digest.attention.map((one) => (one.kind === 'search' ? [one.kind, one.search, one.status] : [one.kind])),
  ).toEqual([
    ['search', 'failing-posts', 'failing'],
    ['search', 'never-posts', 'silent'],
  ]);
});

test('how the answer changed between the two ends of the span', () => {
  expect(digest.answers).toEqual([
    {
      topic: 'ferry',
      topic_name: 'ferry',
      search: 'ferry-ai',
      search_name: 'ferry: AI search',
      at: at(120).toISOString(),
      before_at: at(-120).toISOString(),
      changed: true,
      added: ['Service resumes on Monday morning.'],
      added_claims: [expect.stringMatching(/^\d+$/)],
      removed: ['It rained all day.'],
      more_added: 0,
      more_removed: 0,
      text: null,
    },
  ]);
});

test('new things, best first, each once, with the best link among them', () => {
  expect(digest.topics).toHaveLength(1);
  const [ferry] = digest.topics;
  expect(ferry).toMatchObject({ topic: 'ferry', posts: 4, links: 1, least: false });
  expect(ferry?.items.map(withoutTime)).toEqual([
    {
      kind: 'post',
      id: expect.any(String),
      text: 'Ferry 7 is back in the harbour',
      author: 'user_2',
      copies: 3,
      authors: 3,
    },
    {
      kind: 'post',
      id: expect.any(String),
      text: 'Tickets are sold out',
      author: 'user_5',
      copies: 1,
      authors: 1,
    },
    {
      kind: 'link',
      id: expect.any(String),
      text: 'About fresh.example/b',
      author: 'fresh.example',
      copies: 1,
      authors: null,
    },
  ]);
});

test('a topic that nobody checked is not quiet', () => {
  expect(digest.quiet).toEqual([
    { topic: 'failing', topic_name: 'failing', checked: false },
    { topic: 'never', topic_name: 'never', checked: false },
    { topic: 'quiet', topic_name: 'quiet', checked: true },
  ]);
});

test('of one topic or search, and by the feed instead of by time', async () => {
  const quiet = await readDigest(world.ctx, { ...span, topic: 'quiet' });
  expect(quiet).toMatchObject({ topic: 'quiet', topics: [], answers: [], attention: [] });
  expect(quiet.collected).toMatchObject({ topics: 1, searches: 1, calls: 0, cost_usd: null });
  const search = await readDigest(world.ctx, { ...span, search: 'ferry-ai' });
  expect(search.topics).toMatchObject([{ topic: 'ferry', posts: 0, links: 1 }]);
  const last = await readLastDiscoveryId(world.db.pool);
  const range = { after: last, upTo: last };
  expect((await readDigest(world.ctx, { ...span, range })).topics).toEqual([]);
  const all = { after: 0n, upTo: last };
  expect((await readDigest(world.ctx, { ...span, from: at(200), range: all })).topics).toMatchObject([
    { topic: 'ferry', posts: 4, links: 1 },
  ]);
});

test('a quiet span says nothing, and one in which nothing ran says so', async () => {
  const ran = await readDigest(world.ctx, { ...span, topic: 'quiet', from: at(0), until: at(65) });
  expect([saysSomething(ran), ran.quiet.map(({ checked }) => checked)]).toEqual([false, [true]]);
  const missed = await readDigest(world.ctx, { ...span, topic: 'quiet', from: at(65) });
  expect([saysSomething(missed), missed.quiet.map(({ checked }) => checked)]).toEqual([true, [false]]);
});

test('its text', () => {
  const lines = composeSections(digest).flatMap(({ id, heading, lines: its }) => [
    `[${id}] ${heading ?? ''}`.trim(),
    ...its.map(({ style, words }) => `${style}: ${words.replace(/[\d.]+ %/, '…')}`),
  ]);
  expect(lines.filter((line) => !/did not respond|not reported by|misses about/.test(line))).toEqual([
    '[collected]',
    'title: All topics',
    'text: Sat, 21 Nov 2026, 12:00 to Sat, 21 Nov 2026, 16:00, UTC',
    'text: 5 searches: 6 runs, 3 failed; … of the time observed; 2 calls, $0.25; cost of 1 call not reported.',
    'text: Not collected: 5 runs of 1 search, Sat, 21 Nov, 13:10 to Sat, 21 Nov, 13:50: nothing ran.',
    '[attention] Needs you',
    'text: failing: Posts: failing since Sat, 21 Nov, 13:00: the service returned an error (upstream_5xx)',
    'text: never: Posts: silent since Sat, 14 Nov, 12:00: no successful run for three intervals; no run has ended yet',
    '[answer] Answers',
    'name: ferry',
    'plus: Service resumes on Monday morning.',
    'minus: It rained all day.',
    '[new] New',
    'name: ferry: 4 posts, 1 link',
    'thing: Ferry 7 is back in the harbour',
    'note: by user_2 · 900 likes · ×3, 3 authors',
    'thing: Tickets are sold out',
    'note: by user_5 · 60 likes',
    'thing: About fresh.example/b',
    'note: fresh.example',
    '[quiet]',
    'text: Checked, nothing new: quiet.',
    'text: Not checked: failing, never.',
  ]);
});
