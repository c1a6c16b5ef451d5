/** Briefs of digests, spikes and topics: when they are written and of what, that nothing waits for them for long, and what erases them. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import PostalMime from 'postal-mime';
import { composeMail } from '../../src/monitor/alerts/channels/email-message.ts';
import { summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { startBriefs, writeBriefs } from '../../src/monitor/briefs/write-briefs.ts';
import { writeMarkdown } from '../../src/monitor/digests/digest-markdown.ts';
import { composeSections, countWords, MAX_WORDS } from '../../src/monitor/digests/digest-sections.ts';
import { findPastDigest } from '../../src/monitor/digests/stored-digests.ts';
import { planDigests } from '../../src/monitor/schedule/plan-digests.ts';
import { finishPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { MAX_BRIEF_WAIT_MS } from '../../src/store/briefs/queue-briefs.ts';
import { findAuthor, forgetAuthor } from '../../src/store/erase/forget-author.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { commandsOf, homeOf } from '../cli/stand.ts';
import { createStandInBriefWriter, quoteTwo } from '../stand-in-brief-writer.ts';
import { openStage, type Stage } from '../tell/stage.ts';

const never = new AbortController().signal;
const writer = createStandInBriefWriter();
let stage: Stage;
let ops: bigint;
let day = Date.UTC(2026, 10, 27);

beforeAll(async () => {
  stage = await openStage({ BASE_URL: 'https://watch.example' }, { briefWriter: writer });
  ops = await stage.channel('ops');
});
beforeEach(() => {
  writer.asked = [];
  writer.reply = quoteTwo;
});
afterAll(() => stage.close());

const write = (signal = never) => writeBriefs(stage.world.ctx, signal);
const deliver = () => deliverDueMessages(stage.world.ctx, ops, never);
const briefsOf = (kind: string) =>
  stage.rows('SELECT * FROM strandline_analytics.briefs WHERE kind = $1 ORDER BY id', [kind]);
/** Ends what other tests left. */
async function settle(): Promise<void> {
  await stage.rows(`UPDATE strandline.rules SET state = 'paused' WHERE slug <> 'system'`);
  await stage.rows(`UPDATE strandline.topics SET archived_at = created_at`);
  await stage.rows('UPDATE strandline.briefs SET next_at = NULL');
}
let named = 0;
/** A search and a rule of its topic, with a digest that is composed but not sent. @returns the search and the id of the digest */
async function compose(
  texts: readonly (string | Record<string, unknown>)[],
): Promise<{ search: Search; id: bigint }> {
  const { ctx, clock } = stage.world;
  const topic = `ferry-${(named += 1)}`;
  day += 8 * DAY;
  clock.set(new Date(day));
  await settle();
  const search = await stage.search(topic);
  await stage.rule(`mornings-${topic}`, 'ops', { topic, digest: '0 8 * * *' });
  await planDigests(ctx, clock.now());
  await stage.finds(search, texts);
  clock.set(new Date(day + 8 * HOUR));
  await planDigests(ctx, clock.now());
  await composeDigests(ctx);
  const [row] = await stage.rows('SELECT max(id) AS id FROM strandline.digests');
  return { search, id: row.id };
}
const TEXTS = [
  'The ferry to the islands is cancelled until Monday',
  'The court ruled against the harbour company today',
];

test('the message waits until the brief is written, has it, and is then sent at once', async () => {
  const { id } = await compose(TEXTS);
  expect(await deliver()).toBe(0);
  expect(await write()).toBeGreaterThan(0);
  expect(writer.asked[0]?.items.map(({ kind, text }) => [kind, text])).toEqual(
    expect.arrayContaining(TEXTS.map((text) => ['post', text])),
  );
  expect(stage.world.channels).toContain(ops);
  expect(await deliver()).toBe(1);
  const { digest } = JSON.parse(stage.receiver.received.at(-1)?.body ?? '').data;
  expect(digest.brief).toMatchObject({
    model: 'small-1',
    written_at: stage.world.clock.now().toISOString(),
    sentences: [{ sources: [1] }, { sources: [2] }],
    sources: [
      { n: 1, kind: 'post', page: expect.stringMatching(/^\/posts\/\d+$/) },
      { n: 2, kind: 'post' },
    ],
  });
  const past = (await findPastDigest(stage.world.db, id)).digest;
  expect(past.brief).toEqual(digest.brief);
  // It comes first, is marked, and everything else stays.
  const [first, ...others] = composeSections(past);
  expect(first?.lines.map(({ style }) => style)).toEqual(['title', 'text', 'brief', 'brief', 'note', 'text']);
  expect(first?.lines[4]?.words).toMatch(/^Written by a language model \(small-1\) on /);
  expect(others).toEqual(composeSections({ ...past, brief: null }).slice(1));
  expect(countWords([...(first === undefined ? [] : [first]), ...others])).toBeLessThanOrEqual(MAX_WORDS);
  const [page] = past.brief?.sources ?? [];
  expect(writeMarkdown(past, { base: 'https://watch.example' })).toContain(
    `[\\[1\\]](<https://watch.example${page?.page}>)`,
  );
  expect(writeMarkdown(past, { base: null })).toContain(`(post ${page?.id})`);
  expect(await briefsOf('digest')).toEqual([
    expect.objectContaining({
      digest_id: id,
      topic: null,
      model: 'small-1',
      text: expect.stringMatching(/^It is said: .*\[1\] It is said: .*\[2\]$/),
    }),
  ]);
});

test('mail, chat and the command line have it with its sources, as links where there are addresses', async () => {
  const { ctx, database } = stage.world;
  const { id } = await compose(TEXTS);
  await write();
  await deliver();
  const { data, ...rest } = JSON.parse(stage.receiver.received.at(-1)?.body ?? '');
  const [first] = data.digest.brief.sources;
  const mailAt = async (baseUrl: string | undefined) =>
    new PostalMime().parse(
      await composeMail(
        { ...rest, data },
        { from: { name: '', address: 'a@example.org' }, to: ['b@example.org'] },
        { id: 'msg_1', channel: 'ops', baseUrl },
      ),
    );
  const linked = await mailAt('https://watch.example');
  expect(linked.html).toMatch(
    new RegExp(`It is said: [^<]* · <a href="https://watch.example${first.page}"[^>]*>\\[1\\]</a></p>`),
  );
  expect(linked.text).toMatch(new RegExp(`It is said: .*\\n\\[1\\]: https://watch.example${first.page}\\n`));
  expect(linked.text).toContain('Written by a language model (small-1) on ');
  const plain = await mailAt(undefined);
  expect(plain.text).toMatch(new RegExp(`It is said: .* \\(post ${first.id}\\)\\n`));
  expect(plain.text).not.toContain('[1]');
  const texts = summarizeMessage({ ...rest, data }).items.map(({ text }) => text ?? '');
  expect(texts.slice(0, 4)).toEqual([
    expect.stringMatching(/ to .*, UTC$/),
    expect.stringMatching(/^It is said: /),
    expect.stringMatching(/^It is said: /),
    expect.stringMatching(/^Written by a language model \(small-1\)/),
  ]);
  const { run } = commandsOf(homeOf(stage.world), {
    DATABASE_URL: database.url,
    MASTER_KEY: ctx.config.masterKey ?? '',
  });
  for (const command of [
    ['digest', 'show', String(id)],
    ['topic', 'show', `ferry-${named}`],
  ]) {
    const { code, stdout } = await run(command);
    const words = stdout.replace(/\s+/g, ' ');
    expect([code, /It is said: .* \(post \d+\)/.test(words)], words).toEqual([0, true]);
    expect(words).toContain('Written by a language model (small-1)');
  }
});

const silent = (signal: AbortSignal) =>
  new Promise<never>((_done, fail) => {
    signal.addEventListener('abort', () => fail(new Error('aborted')));
  });

test('a model that hangs delays a digest by two minutes at most, and no other work', async () => {
  await compose(TEXTS);
  writer.reply = (_request, signal) => silent(signal);
  const { ctx, clock } = stage.world;
  const stop = startBriefs(ctx, 1);
  await expect.poll(() => writer.asked.length).toBe(1);
  clock.advance(MAX_BRIEF_WAIT_MS - SECOND);
  expect(await deliver()).toBe(0);
  clock.advance(SECOND);
  expect(await deliver()).toBe(1);
  expect(JSON.parse(stage.receiver.received.at(-1)?.body ?? '').data.digest.brief).toBeNull();
  await stop();
  // What comes later is in no digest: past digests never change.
  writer.reply = quoteTwo;
  clock.advance(5 * MINUTE);
  const before = await briefsOf('digest');
  await write();
  expect(await briefsOf('digest')).toEqual(before);
});

test.each([
  ['is unavailable', { outcome: 'unavailable', reason: 'did not respond' }],
  ['answers in prose', { outcome: 'unusable', reason: 'returned no brief' }],
  ['writes only what nothing supports', { outcome: 'written', sentences: [] }],
] as const)(
  'a model that %s: the digest is sent at once, without a brief, and it is asked once',
  async (_, reply) => {
    const { id } = await compose(TEXTS);
    writer.reply = ({ about, ...request }) => (about === '' ? reply : quoteTwo({ about, ...request }));
    await write();
    expect(await deliver()).toBe(1);
    expect(JSON.parse(stage.receiver.received.at(-1)?.body ?? '').data.digest.brief).toBeNull();
    expect((await findPastDigest(stage.world.db, id)).digest.brief).toBeNull();
    stage.world.clock.advance(DAY);
    await write();
    expect(writer.asked.filter(({ about }) => about === '')).toHaveLength(1);
  },
);

test('a digest with a single thing has none, and does not wait', async () => {
  await compose(TEXTS.slice(0, 1));
  expect(await deliver()).toBe(1);
  await write();
  expect(writer.asked.filter(({ about }) => about === '')).toEqual([]);
});

test('without a model nothing waits, is planned or read', async () => {
  const { ctx } = stage.world;
  Object.assign(ctx, { briefWriter: null });
  try {
    await compose(TEXTS);
    const count = async () => (await stage.rows('SELECT count(*)::int AS n FROM strandline.briefs'))[0].n;
    const before = await count();
    expect(await deliver()).toBe(1);
    expect(await write()).toBe(0);
    expect(await startBriefs(ctx, 1)()).toBeUndefined();
    expect(await count()).toBe(before);
    expect(writer.asked).toEqual([]);
  } finally {
    Object.assign(ctx, { briefWriter: writer });
  }
});

test('a story is one thing of a topic, with how often it was said, and its page', async () => {
  const [ferry = ''] = TEXTS;
  await compose([ferry, `RT @x: ${ferry}`, `${ferry} again`, TEXTS[1] ?? '']);
  await write();
  const request = writer.asked.find(({ about }) => about === `ferry-${named}`);
  expect(request?.items.map(({ text }) => text).toSorted()).toEqual([
    TEXTS[1],
    expect.stringMatching(
      /^The ferry to the islands is cancelled until Monday \(said \d times by \d authors\)$/,
    ),
  ]);
  const brief = (await briefsOf('topic')).find(({ topic }) => topic === `ferry-${named}`);
  expect(brief.pages.toSorted()).toEqual([
    expect.stringMatching(/^\/posts\//),
    expect.stringMatching(/^\/stories\//),
  ]);
});

test('a topic has one brief of its last day, which is written again when there is other news', async () => {
  const { clock } = stage.world;
  const { search } = await compose(TEXTS);
  const topic = `ferry-${named}`;
  const mine = async () => (await briefsOf('topic')).filter((row) => row.topic === topic);
  await write();
  const [first] = await mine();
  expect(first).toMatchObject({ text: expect.stringContaining('[1]'), written_at: clock.now() });
  const asked = () => writer.asked.filter(({ about }) => about === topic).length;
  expect(asked()).toBe(1);
  // The same evidence is not read twice.
  clock.advance(6 * HOUR);
  await write();
  expect([asked(), await mine()]).toEqual([1, [first]]);
  await stage.finds(search, ['A third thing of the harbour that nobody had heard of before']);
  clock.advance(6 * HOUR);
  await write();
  expect(asked()).toBe(2);
  expect((await mine()).map(({ id, written_at }) => [id, written_at])).toEqual([[first.id, clock.now()]]);
  // A day later nothing is new, so nothing is said of it.
  clock.advance(2 * DAY);
  await write();
  expect([asked(), await mine()]).toEqual([2, []]);
});

async function spike(search: Search): Promise<bigint> {
  const now = stage.world.clock.now();
  const [row] = await stage.rows(
    `INSERT INTO strandline.spikes (search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd, usual,
       days, windows, score, threshold, sensitivity, provisional, tz, sentence, at)
     SELECT $1, max(id), 'posts', $2::timestamptz - interval '12 hours', $2::timestamptz + interval '1 minute', 42, false, 1, 9, 3, 10, 14, 300, 9, 4.5, 'normal', false, 'UTC',
       'About four times the usual number of posts', $2 FROM strandline.runs WHERE search_id = $1 RETURNING id`,
    [search.id, now],
  );
  return row.id;
}

test('a new spike is described once, of its posts; a model that is unavailable is asked again', async () => {
  const { search } = await compose([]);
  await stage.finds(search, [...TEXTS, ...TEXTS]);
  const id = await spike(search);
  const mine = async () => (await briefsOf('spike')).filter((row) => row.spike_id === id);
  writer.reply = () => ({ outcome: 'unavailable', reason: 'did not respond' });
  await write();
  expect(await mine()).toEqual([]);
  writer.reply = quoteTwo;
  stage.world.clock.advance(20 * MINUTE);
  await write();
  expect(await mine()).toEqual([
    expect.objectContaining({
      topic: `ferry-${named}`,
      pages: [`/evidence/spike/${id}`, expect.stringMatching(/posts/)],
    }),
  ]);
  const request = writer.asked.findLast(
    ({ items }) => items[0]?.kind === 'spike' && items[1]?.text === 'a post',
  );
  expect(request?.items.map(({ text }) => text)).toEqual([
    'About four times the usual number of posts',
    'a post',
    ...TEXTS,
  ]);
  const asked = writer.asked.length;
  stage.world.clock.advance(HOUR);
  await write();
  expect(writer.asked).toHaveLength(asked);
});

test('a forgotten author and a purged search take the briefs that cite them', async () => {
  const { ctx, db } = stage.world;
  const by = (name: string, text: string) => ({
    text,
    user: { id: `9${name.length}77`, username: name, name },
  });
  const { search, id } = await compose([
    by('marigold', 'a marigold secret of the ferry'),
    by('someone', TEXTS[1] ?? ''),
  ]);
  await spike(search);
  await write();
  await deliver();
  const topic = `ferry-${named}`;
  const count = async () => [
    (await findPastDigest(db, id)).digest.brief === null ? 0 : 1,
    ...(await Promise.all(
      ['topic', 'spike'].map(
        async (kind) => (await briefsOf(kind)).filter((row) => row.topic === topic).length,
      ),
    )),
  ];
  expect(await count()).toEqual([1, 1, 1]);
  const author = await findAuthor(db, 'hosted', '@marigold');
  await forgetAuthor(ctx, author ?? expect.fail('not known'));
  expect(await count()).toEqual([0, 0, expect.any(Number)]);
  const left = await stage.rows(
    `SELECT count(*)::int AS n FROM strandline.briefs WHERE position('marigold' IN content::text) > 0
     UNION ALL SELECT count(*)::int FROM strandline.deliveries d WHERE position('marigold' IN d::text) > 0`,
  );
  expect(left.map(({ n }) => n)).toEqual([0, 0]);
  stage.world.clock.advance(MINUTE);
  await stage.finds(search, [by('other', 'what others have found at the pier today')]);
  await write();
  expect(await count()).toEqual([0, 1, 1]);
  await finishPurge(db, await requestPurge(ctx, { kind: 'search', slug: topic }));
  await write();
  expect(await count()).toEqual([0, 0, 0]);
  expect(await stage.rows('SELECT FROM strandline.brief_sources WHERE search_id = $1', [search.id])).toEqual(
    [],
  );
});

test('what is erased while the model writes is in no brief', async () => {
  const { ctx, db } = stage.world;
  const { search, id } = await compose([
    { text: 'a hollyhock secret of the ferry', user: { id: '977', username: 'hollyhock', name: 'h' } },
    TEXTS[0] ?? '',
  ]);
  writer.reply = async (request) => {
    const author = await findAuthor(db, 'hosted', '@hollyhock');
    if (author !== undefined) await forgetAuthor(ctx, author);
    return quoteTwo(request);
  };
  await write();
  expect((await findPastDigest(db, id)).digest.brief).toBeNull();
  expect(await stage.rows('SELECT FROM strandline.brief_sources WHERE search_id = $1', [search.id])).toEqual(
    [],
  );
});

test('a worker whose clock is a day ahead does not write what another worker writes, nor take it for too late', async () => {
  const { ctx, clock } = stage.world;
  const { id } = await compose(TEXTS);
  const killed = new Error('killed');
  writer.reply = () => Promise.reject(killed);
  await expect(write()).rejects.toBe(killed);
  writer.reply = quoteTwo;
  const ahead = { ...ctx, clock: { ...clock, now: () => new Date(clock.now().getTime() + DAY) } };
  expect(await writeBriefs(ahead, never)).toBe(0);
  expect(writer.asked).toHaveLength(1);
  await stage.rows('UPDATE strandline.briefs SET next_at = $1 WHERE digest_id = $2', [clock.now(), id]);
  expect(await writeBriefs(ahead, never)).toBe(1);
  expect((await briefsOf('digest')).at(-1)).toMatchObject({ digest_id: id, written_at: clock.now() });
});
