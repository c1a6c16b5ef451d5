/**
 * The form of a response in `named-2026`: groups are lists, posts are whole, the completion is a text. It is not in the
 * specification; what is required here is what the hosted service's public clients of 2026 require.
 */
import type { Names } from './names.ts';
import {
  AUTHOR,
  count,
  id,
  isObject,
  judgeMembers,
  type Kind,
  kind,
  list,
  type Members,
  object,
  POST,
  shown,
  text,
  time,
  truth,
  url,
} from './objects.ts';
import type { Report } from './report.ts';

/** The member of each tool's results. */
const GROUPS: Readonly<Record<string, string>> = {
  'Web Search': 'search',
  'News Forum Search': 'hacker_news_search',
  'Discussion Board Search': 'reddit_search',
  'Encyclopedia Search': 'wikipedia_search',
  'Video Search': 'youtube_search',
  'Microblog Search': 'tweets',
  'Preprint Search': 'arxiv_search',
};

const AT = {
  answer: 'Responses of 2026 / Operation A',
  item: 'Responses of 2026 / Result',
  post: 'Responses of 2026 / Post',
  author: 'Responses of 2026 / Author',
  entity: 'Responses of 2026 / Entity',
} as const;

const orNull = ({ says, wrong }: Kind): Kind => ({
  says: `${says}, or null`,
  wrong: (value) => (value === null || value === undefined ? null : wrong(value)),
});
const indices = kind(
  'two integers, or none',
  (value) => Array.isArray(value) && value.every(Number.isInteger),
);
const textOrNull = orNull(text);

const FLAT_ANSWER: Members = { text: textOrNull, completion: textOrNull };
const FLAT_RESULT: Members = { title: text, link: url, snippet: text };
const FLAT_AUTHOR: Members = {
  ...Object.fromEntries(Object.keys(AUTHOR).map((name) => [name, orNull(text)])),
  ...Object.fromEntries(
    Object.keys(AUTHOR).flatMap((name) => (name.endsWith('_count') ? [[name, orNull(count)]] : [])),
  ),
  ...Object.fromEntries(
    ['verified', 'is_blue_verified', 'can_dm', 'can_media_tag'].map((name) => [name, orNull(truth)]),
  ),
  id,
  username: id,
};
/** Members of the specification that the hosted service no longer returns. */
const GONE = new Set(['impression_count', 'summary_description']);
const FLAT_POST: Members = {
  ...Object.fromEntries(Object.keys(POST).flatMap((name) => (GONE.has(name) ? [] : [[name, textOrNull]]))),
  ...Object.fromEntries(
    ['reply', 'repost', 'like', 'quote', 'bookmark'].map((counter) => [`${counter}_count`, count]),
  ),
  view_count: orNull(count),
  is_quote_post: orNull(truth),
  is_repost: orNull(truth),
  media: orNull(list),
  entities: orNull(object),
  user: orNull(object),
  quote: orNull(kind('a post', isObject)),
  id,
  text,
  created_at: time,
};
const ENTITIES: Readonly<Record<string, Members>> = {
  hashtags: { text, indices },
  urls: { url: text, expanded_url: textOrNull, display_url: text, indices },
  user_mentions: { id_str: text, name: text, screen_name: text, indices },
};

/** Lists every member, so that one that never occurs is still reported. */
export function expectFlatMembers(report: Report): void {
  for (const [at, members] of [
    [AT.answer, FLAT_ANSWER],
    [AT.item, FLAT_RESULT],
    [AT.post, FLAT_POST],
    [AT.author, FLAT_AUTHOR],
  ] as const)
    for (const [name, { says }] of Object.entries(members)) report.expect(at, `${name} is ${says}`);
}

export function judgeFlatAnswer(
  report: Report,
  names: Names,
  answer: unknown,
  tools: readonly string[],
): void {
  report.judge(AT.answer, 'is a JSON object', isObject(answer) ? null : `is ${shown(answer)}`);
  if (!isObject(answer)) return;
  judgeMembers(report, names, AT.answer, answer, FLAT_ANSWER);
  for (const [tool, name] of Object.entries(GROUPS)) {
    const group = answer[name];
    if (!tools.includes(tool)) {
      const isAbsent = group === undefined || group === null;
      const problem = isAbsent ? null : `is ${shown(group)}`;
      report.judge(AT.answer, `${name} is absent when its tool is not selected`, problem, 'silent');
      continue;
    }
    const problem = Array.isArray(group) ? null : `is ${shown(group)}`;
    report.judge(AT.answer, `${name} is an array when its tool is selected`, problem);
    if (name === GROUPS['Microblog Search']) judgeFlatPosts(report, names, group);
    else
      for (const item of Array.isArray(group) ? group : [])
        judgeMembers(report, names, AT.item, item, FLAT_RESULT);
  }
}

export function judgeFlatPosts(report: Report, names: Names, posts: unknown): void {
  for (const post of Array.isArray(posts) ? posts : []) judgeFlatPost(report, names, post);
}

function judgeFlatPost(report: Report, names: Names, post: unknown): void {
  judgeMembers(report, names, AT.post, post, FLAT_POST);
  if (!isObject(post)) return;
  const { user, quote, entities } = post;
  if (isObject(user)) judgeMembers(report, names, AT.author, user, FLAT_AUTHOR);
  if (isObject(quote)) judgeFlatPost(report, names, quote);
  for (const [name, members] of Object.entries(ENTITIES)) {
    const all = isObject(entities) ? entities[name] : undefined;
    for (const entity of Array.isArray(all) ? all : [])
      judgeMembers(report, names, AT.entity, entity, members, name);
  }
}
