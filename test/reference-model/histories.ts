/** Histories as fast-check draws them: what happens, when, and what services say of a small world of posts. */
import * as fc from 'fast-check';
import { type Copy, COUNTERS, type FoundLink } from './responses.ts';

/** When histories begin: some minutes after a full hour, so that runs fall on full hours, too. */
export const BEGIN = Date.UTC(2026, 10, 21, 20, 45);
const MINUTE = 60_000;

/** The searches of every history; each has its first run at the beginning. */
export const SEARCHES = [
  { slug: 'harbor-posts', topic: 'harbor', service: 'hosted', operation: 'microblog', every: '15m' },
  {
    slug: 'harbor-short',
    topic: 'harbor',
    service: 'hosted',
    operation: 'microblog',
    every: '30m',
    count: 5,
  },
  { slug: 'harbor-web', topic: 'harbor', service: 'hosted', operation: 'ai', every: '1h' },
  { slug: 'harbor-own', topic: 'harbor', service: 'own', operation: 'microblog', every: '30m' },
  { slug: 'tides-posts', topic: 'tides', service: 'hosted', operation: 'microblog', cron: '0 * * * *' },
  { slug: 'tides-pace', topic: 'tides', service: 'own', operation: 'microblog', every: 'auto 10m-2h' },
] as const;

/** Minutes from the beginning at which posts of the world were published; null: no response says. */
const PUBLISHED = [
  -1_600,
  -700,
  -240,
  -130,
  -70,
  -45,
  -38,
  -31,
  -22,
  -14,
  -9,
  -6,
  -4,
  -2,
  -1,
  12,
  26,
  41,
  62,
  90,
  125,
  170,
  230,
  300,
  410,
  null,
];
const TAGS = [['tide'], ['tide', 'storm'], [], ['Harbor']] as const;
const TEXTS = ['as it was written', 'as it was edited', 'edited twice, and longer than before'];

/** What is drawn of one post in a response. */
const said = fc.record({
  post: fc.nat({ max: PUBLISHED.length - 1 }),
  text: fc.constantFrom(0, 0, 0, 1, 2, null),
  likes: fc.constantFrom(null, 0, 1, 2, 3, 5, 9, 14),
  reposts: fc.constantFrom(0, 0, 1, 4, null),
  views: fc.constantFrom(null, null, 0, 50, 80),
  /** Whether it has the post that it quotes. */
  hasQuoted: fc.constantFrom(true, true, true, false),
});
type Said = typeof said extends fc.Arbitrary<infer T> ? T : never;

const drawnAnswer = fc.record({
  posts: fc.uniqueArray(said, { selector: ({ post }) => post, maxLength: 9 }),
  links: fc.uniqueArray(fc.nat({ max: 6 }), { maxLength: 4 }),
  /** What it says of all its authors: a response has one truth. */
  followers: fc.constantFrom(null, 10, 11),
  isRenamed: fc.boolean(),
});
export type Answer = typeof drawnAnswer extends fc.Arbitrary<infer T> ? T : never;

/**
 * How a run goes: its response is saved at once; it arrives after its run has failed; a second worker has called meanwhile,
 * and its response is older or newer; the database is away, and it waits on disk; the service is down; no call is left.
 */
const fate = fc.constantFrom(
  'in time',
  'in time',
  'in time',
  'in time',
  'in time',
  'late',
  'older beside',
  'newer beside',
  'spooled',
  'service down',
  'no call left',
);
export type Fate = typeof fate extends fc.Arbitrary<infer T> ? T : never;

/** What happens between the runs of two points in time. */
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('nothing' as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('derive' as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('read late' as const), nth: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('replay' as const), nth: fc.nat({ max: 40 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('pause' as const), nth: fc.nat({ max: SEARCHES.length - 1 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('resume' as const), nth: fc.nat({ max: SEARCHES.length - 1 }) }),
  },
);
export type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const step = fc.record({
  /** Minutes since the step before. */
  wait: fc.constantFrom(15, 15, 15, 15, 30, 30, 45, 400),
  /** For the runs that are due, in turn. */
  runs: fc.array(fc.record({ fate, answer: drawnAnswer }), { minLength: 1, maxLength: 4 }),
  after: happening,
});
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a person erases in the end. */
const erasure = fc.constantFrom('nothing', 'nothing', 'a search', 'an author');

export const drawnHistory = fc.record({
  /**
   * What services say, by what is promised of late responses. In `orderly` histories there are none. In `late` ones each
   * response knows every member of its items, and nests no post in another: a value that only a late response knew is not
   * promised. In `beside` ones runs have two responses, too, and nothing changes: the one that is not the result confirms
   * nothing.
   */
  kind: fc.constantFrom('orderly', 'late', 'beside'),
  steps: fc.array(step, { minLength: 3, maxLength: 16, size: 'max' }),
  erased: erasure,
});
export type DrawnHistory = typeof drawnHistory extends fc.Arbitrary<infer T> ? T : never;

/** What is drawn of a run, as it happens in histories of a kind. */
export function toKind(kind: DrawnHistory['kind'], run: { fate: Fate; answer: Answer }): typeof run {
  const { fate: drawn, answer } = run;
  const fails = drawn === 'service down' || drawn === 'no call left';
  if (kind === 'orderly') return { fate: fails ? drawn : 'in time', answer };
  const isBeside = drawn === 'older beside' || drawn === 'newer beside';
  return kind === 'late'
    ? { fate: isBeside ? 'late' : drawn, answer: toWhole(answer) }
    : { fate: drawn, answer: toConstant(answer) };
}

/** The same answer, with every member known. */
function toWhole(answer: Answer): Answer {
  const posts = answer.posts.map((drawn) => ({
    ...drawn,
    text: drawn.text ?? 0,
    likes: drawn.likes ?? 0,
    reposts: drawn.reposts ?? 0,
    views: drawn.views ?? 0,
    hasQuoted: false,
  }));
  return { ...answer, posts, followers: answer.followers ?? 10 };
}

/** The same posts, of which every response says the same. */
function toConstant(answer: Answer): Answer {
  const posts = answer.posts.map(({ post }) => ({
    post,
    text: 0 as const,
    likes: post % 2 === 0 ? (5 as const) : (0 as const),
    reposts: 1 as const,
    views: 50 as const,
    hasQuoted: false,
  }));
  return { ...answer, posts, followers: 10, isRenamed: false };
}

const AUTHORS = 4;

/** A post of the world as a response says it. */
function toCopy({ followers, isRenamed }: Answer, drawn: Said, quoted: Copy | null): Copy {
  const { post, text, likes, reposts, views } = drawn;
  const published = PUBLISHED[post] ?? null;
  const author = String(900 + (post % AUTHORS));
  return {
    id: String(5_000 + post),
    // Words of its own, so that no post is a copy of another.
    text: text === null ? '' : `observation number ${post} of the harbor watch ${TEXTS[text]}`,
    createdAt: published === null ? null : BEGIN + published * MINUTE,
    lang: post % 5 === 0 ? 'de' : 'en',
    hashtags: TAGS[post % TAGS.length] ?? [],
    urls: post % 3 === 0 ? [`https://site${post % 2}.example/${post}`] : [],
    isRepost: post % 6 === 5,
    author: { id: author, username: isRenamed ? `renamed_${author}` : `name_${author}`, followers },
    counts: {
      ...(Object.fromEntries(COUNTERS.map((counter) => [counter, null])) as Copy['counts']), // all of them
      like_count: likes,
      repost_count: reposts,
      view_count: views,
      quote_count: 0,
    },
    quoted,
  };
}

/** Clocks of some authors are wrong: their posts are returned before they are published. */
const isReturned = (post: number, now: number) =>
  post % 7 === 0 || BEGIN + (PUBLISHED[post] ?? 0) * MINUTE <= now;

/** The posts of an answer as of a time; a nested post is in no other place of its response. */
export function toCopies(answer: Answer, now: number): Copy[] {
  const posts = answer.posts.filter(({ post }) => isReturned(post, now));
  const taken = new Set(posts.map(({ post }) => post));
  return posts.map((drawn) => {
    const quoted = findQuoted(drawn.post);
    if (!drawn.hasQuoted || taken.has(quoted) || !isReturned(quoted, now)) return toCopy(answer, drawn, null);
    taken.add(quoted);
    const text = drawn.text === null ? null : 0;
    return toCopy(answer, drawn, toCopy(answer, { ...drawn, post: quoted, text }, null));
  });
}

/** What a post quotes is the same in each response. */
const findQuoted = (post: number) => (post * 7 + 3) % PUBLISHED.length;

export const toLinks = ({ links }: Answer): FoundLink[] =>
  links.map((n) => ({ url: `https://news${n % 3}.example/story-${n}`, title: `Story ${n}` }));
