import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MicroblogPost } from '../../src/protocol/specification.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { createPostLister } from './sandbox/every-post.ts';
import { createMicroblog, type SimulatedMicroblog } from '../../src/service/sandbox/simulated-microblog.ts';
import { computeTruth } from '../../src/service/sandbox/ground-truth.ts';
import { SAMPLE_TOPIC } from '../../src/service/sandbox/simulated-topic.ts';
import { TOPICS } from '../../src/service/sandbox/built-in-topics.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const PROMPTS = [
  ...TOPICS.map(({ phrases }) => phrases[0] ?? ''),
  'quiet cheese',
  'Ein Thema, das keiner kennt',
];
const COUNTERS = [
  'reply_count',
  'repost_count',
  'like_count',
  'view_count',
  'quote_count',
  'impression_count',
  'bookmark_count',
] as const;

const prompt = fc.constantFrom(...PROMPTS);
/** Some time in the two years around noon. */
const instant = fc.integer({ min: NOON - 365 * DAY, max: NOON + 365 * DAY });
const few = { numRuns: 12 };

function byId(posts: readonly MicroblogPost[]): Map<string, MicroblogPost> {
  return new Map(posts.map((post) => [post.id, post]));
}

/** All posts of a response, newest first. */
async function findAll(microblog: SimulatedMicroblog, ...query: Parameters<SimulatedMicroblog['find']>) {
  const { newest, popular } = await microblog.find(...query);
  return [...newest, ...popular];
}

/** Ids of the posts of a span that are deleted by `at`. */
function deleted(seed: string, words: string, { from, at }: { from: number; at: number }): Set<string> {
  const posts = computeTruth(seed, words, new Date(from), new Date(at)).posts ?? [];
  const gone = posts.filter((post) => post.deleted_at !== null && Date.parse(post.deleted_at) <= at);
  return new Set(gone.map(({ id }) => id));
}

function times(ids: readonly (string | null)[], id: string): number {
  return ids.filter((one) => one === id).length;
}

describe('the simulated microblog', () => {
  test('is a function of seed and time: two worlds with one seed agree, whatever was requested before', async () => {
    const used = createMicroblog('a');
    await fc.assert(
      fc.asyncProperty(prompt, instant, async (words, at) => {
        const asked = { from: undefined, at };
        expect(await createMicroblog('a').find(words, asked, 40)).toEqual(await used.find(words, asked, 40));
      }),
      few,
    );
    const other = await createMicroblog('b').find(SAMPLE_TOPIC.prompt, { from: undefined, at: NOON }, 40);
    expect(other).not.toEqual(await used.find(SAMPLE_TOPIC.prompt, { from: undefined, at: NOON }, 40));
  });

  // It changes with the sample topic's words and with Node's Math; nothing else may change it.
  test('returns the same bytes as the recorded snapshot', async () => {
    const posts = await findAll(
      createMicroblog('pinned'),
      SAMPLE_TOPIC.prompt,
      { from: undefined, at: NOON },
      40,
    );
    const hash = createHash('sha256').update(JSON.stringify(posts)).digest('hex');
    expect(hash.slice(0, 16)).toBe('bdef33ce4f89c2a6');
  });

  test('removes only deleted posts, never changes their text, never decreases a counter', () => {
    const listPosts = createPostLister('grow');
    fc.assert(
      fc.property(prompt, instant, fc.integer({ min: 1, max: 2 * DAY }), (words, at, later) => {
        const from = at - 4 * HOUR;
        const then = listPosts(words, { from, at });
        const now = byId(listPosts(words, { from, at: at + later }));
        const gone = deleted('grow', words, { from, at: at + later });
        expect(then.filter(({ id }) => now.has(id) === gone.has(id))).toEqual([]);
        const counted = ({ user, ...post }: MicroblogPost) => [
          ...COUNTERS.map((name) => post[name]),
          user.followers_count,
          user.statuses_count,
        ];
        for (const before of then) {
          const after = now.get(before.id);
          if (after === undefined) continue;
          const { text, created_at } = before;
          expect(after).toMatchObject({ text, created_at });
          const fewer = counted(before).filter((n, i) => !((counted(after)[i] ?? Number.NaN) >= (n ?? 0)));
          expect(fewer).toEqual([]);
        }
      }),
      few,
    );
  });

  test('generates unique ids of 19 digits, in order of time, over all topics', () => {
    const listPosts = createPostLister('ids');
    const ids = new Set<string>();
    let posts = 0;
    for (const words of PROMPTS) {
      const all = listPosts(words, { from: NOON - 6 * HOUR, at: NOON });
      posts += all.length;
      const own = all.map(({ id }) => id);
      expect(own.filter((id) => !/^\d{19}$/.test(id))).toEqual([]);
      expect(own).toEqual(own.toSorted());
      for (const id of own) ids.add(id);
    }
    expect(ids.size).toBe(posts);
    expect(posts).toBeGreaterThan(2_500);
  });

  test('refers only to existing older posts, with their authors', () => {
    const listPosts = createPostLister('refs');
    const at = NOON;
    const all = byId(listPosts('lunar lander', { from: at - 4 * DAY, at }));
    const gone = deleted('refs', 'lunar lander', { from: at - 4 * DAY, at });
    const recent = [...all.values()].filter((post) => Date.parse(post.created_at) > at - 8 * HOUR);
    expect(gone.size).toBeGreaterThan(20);
    for (const post of recent) {
      const repliedTo = all.get(post.in_reply_to_status_id ?? post.id);
      expect(repliedTo !== undefined || gone.has(post.in_reply_to_status_id ?? '')).toBe(true);
      if (post.in_reply_to_status_id !== null) {
        // Ids are in the order of time, whatever the author's clock says.
        expect(BigInt(post.in_reply_to_status_id)).toBeLessThan(BigInt(post.id));
        if (repliedTo === undefined) continue;
        expect(post.in_reply_to_user_id).toBe(repliedTo?.user.id);
        expect(post.in_reply_to_screen_name).toBe(repliedTo?.user.username);
        expect(post.conversation_id).toBe(repliedTo?.conversation_id);
      } else {
        expect(post.conversation_id).toBe(post.id);
      }
      expect(post.is_quote_post).toBe(post.quoted_status_id !== null);
      const quoted = all.get(post.quoted_status_id ?? '');
      if (!post.is_quote_post) expect(post.quote).toBeNull();
      else if (quoted === undefined) expect(gone.has(post.quoted_status_id ?? '')).toBe(true);
      else expect(post.quote).toBe(quoted.text);
      if (post.is_repost) expect(post.text).toMatch(/^RT @\w+: /);
    }
    const share = (has: (post: MicroblogPost) => boolean) => recent.filter(has).length / recent.length;
    expect(share((post) => post.is_repost)).toBeCloseTo(0.2, 1);
    expect(share((post) => post.is_quote_post)).toBeCloseTo(0.05, 1);
    expect(share((post) => post.in_reply_to_status_id !== null)).toBeCloseTo(0.3, 1);
  });

  test('counts at least the visible replies, reposts and quotes', () => {
    const all = createPostLister('seen')('sourdough', { from: NOON - 3 * DAY, at: NOON });
    const posts = byId(all);
    const replied = all.map((post) => post.in_reply_to_status_id);
    const quoted = all.map((post) => post.quoted_status_id);
    for (const [id, post] of posts) {
      expect(post.reply_count).toBeGreaterThanOrEqual(times(replied, id));
      expect(post.quote_count).toBeGreaterThanOrEqual(times(quoted, id));
    }
  });

  test('returns new posts and growth to a client that polls every minute', async () => {
    const microblog = createMicroblog('news');
    const seen = byId(await findAll(microblog, SAMPLE_TOPIC.prompt, { from: undefined, at: NOON }, 40));
    expect(seen.size).toBe(40);
    let fresh = 0;
    let grown = 0;
    for (let minute = 1; minute <= 30; minute++) {
      const at = NOON + minute * MINUTE;
      for (const post of await findAll(microblog, SAMPLE_TOPIC.prompt, { from: undefined, at }, 40)) {
        const before = seen.get(post.id);
        if (before === undefined) fresh += 1;
        else if ((post.view_count ?? 0) > (before.view_count ?? 0)) grown += 1;
        seen.set(post.id, post);
      }
    }
    expect(fresh / 30).toBeGreaterThan(0.8);
    expect(fresh / 30).toBeLessThan(8);
    expect(grown / 30).toBeGreaterThan(5);
  });

  test.each([10, 40, 200])(
    'returns at most %i: all, or the newest without gaps and the most viewed older ones',
    async (limit) => {
      const microblog = createMicroblog('full');
      const listPosts = createPostLister('full');
      for (const words of ['lunar lander', 'sourdough', 'quiet cheese']) {
        const all = listPosts(words, { from: NOON - DAY, at: NOON }).map(({ id }) => id);
        const { newest, popular } = await microblog.find(words, { from: NOON - DAY, at: NOON }, limit);
        const share = all.length <= limit ? 0 : Math.floor((limit * 2) / 7);
        expect(newest.map(({ id }) => id)).toEqual(all.slice(share - limit).toReversed());
        const older = new Set(all.slice(0, share - limit));
        expect(popular.length).toBe(share);
        expect(popular.every(({ id }) => older.has(id))).toBe(true);
      }
    },
  );

  test('posts about an unknown prompt in its own words, 60 to 300 times a day', async () => {
    const microblog = createMicroblog('any');
    const listPosts = createPostLister('any');
    const week = listPosts('Quiet Cheese!', { from: NOON - 7 * DAY, at: NOON });
    expect(week.length / 7).toBeGreaterThan(45);
    expect(week.length / 7).toBeLessThan(700);
    const mention = week.filter(({ text }) => text.includes('Quiet Cheese'));
    expect(mention.length / week.length).toBeGreaterThan(0.85);
    const ids = async (words: string) =>
      (await findAll(microblog, words, { from: undefined, at: NOON }, 40)).map(({ id }) => id);
    expect(await ids('quiet  CHEESE')).toEqual(await ids('Quiet Cheese!'));
  });

  test('keeps the text of a prompt in one line of well-formed text', async () => {
    const microblog = createMicroblog('hostile');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), async (words) => {
        for (const { text } of await findAll(microblog, words, { from: NOON - 6 * HOUR, at: NOON }, 10)) {
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toMatch(/[\n\r\0\u202e]/);
          expect(text.length).toBeLessThan(10_000);
        }
      }),
      few,
    );
  });
});
