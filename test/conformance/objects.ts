/** The objects of the specification, member by member, each with its required form. */
import { parseUrl } from '../../src/model/links/link.ts';
import type { Names } from './names.ts';
import type { Report } from './report.ts';

/** What is wrong with a value, or null. */
export type Kind = { says: string; wrong: (value: unknown) => string | null };
export type Members = Readonly<Record<string, Kind>>;

export function kind(says: string, is: (value: unknown) => boolean): Kind {
  return { says, wrong: (value) => (is(value) ? null : `is ${shown(value)}`) };
}

export const text = kind('a string', (value) => typeof value === 'string');
export const id = kind('a string that is not empty', (value) => typeof value === 'string' && value !== '');
export const url = kind('a URL', (value) => typeof value === 'string' && isUrl(value));
const urlOrUnknown = kind(
  'a URL, or empty where it is not known',
  (value) => typeof value === 'string' && (value === '' || isUrl(value)),
);
export const time = kind('an ISO 8601 UTC timestamp', isTime);
const timeOrUnknown = kind(
  'an ISO 8601 UTC timestamp, or empty where it is not known',
  (value) => value === '' || isTime(value),
);
export const count = kind('an integer', (value) => Number.isSafeInteger(value));
export const truth = kind('a boolean', (value) => typeof value === 'boolean');
const reference = kind('a string or null', (value) => value === null || typeof value === 'string');
export const list = kind('an array', Array.isArray);
export const object = kind('an object', isObject);
const texts = kind(
  'an array of strings',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
);
const urls = kind(
  'an array of URLs',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && isUrl(one)),
);

export const RESULT: Members = { title: text, link: url, snippet: text, summary_description: text };
export const KEY_ITEM: Members = { text, url };
export const GROUP: Members = { organic_results: list };
export const AI_ANSWER: Members = {
  text_chunks: object,
  search_completion_links: urls,
  completion_links: urls,
  completion: object,
};
export const TEXT_CHUNKS: Members = { microblog_summary: texts };
export const KEY_LISTS = ['key_posts', 'key_microblog_posts', 'key_news', 'key_sources'] as const;
export const COMPLETION: Members = {
  key_posts: list,
  key_microblog_posts: list,
  key_news: list,
  key_sources: list,
  microblog_summary: text,
  summary: text,
  discussion_board_summary: text,
  news_forum_summary: text,
};
export const AUTHOR: Members = {
  id,
  url: urlOrUnknown,
  name: text,
  username: text,
  created_at: timeOrUnknown,
  description: text,
  favourites_count: count,
  followers_count: count,
  listed_count: count,
  media_count: count,
  profile_image_url: urlOrUnknown,
  statuses_count: count,
  verified: truth,
  is_blue_verified: truth,
  can_dm: truth,
  can_media_tag: truth,
  location: text,
};
export const POST: Members = {
  user: object,
  id,
  text,
  reply_count: count,
  repost_count: count,
  like_count: count,
  view_count: count,
  quote_count: count,
  impression_count: count,
  bookmark_count: count,
  url: urlOrUnknown,
  created_at: time,
  media: list,
  is_quote_post: truth,
  is_repost: truth,
  lang: text,
  conversation_id: text,
  in_reply_to_screen_name: reference,
  in_reply_to_status_id: reference,
  in_reply_to_user_id: reference,
  quoted_status_id: reference,
  quote: reference,
  entities: object,
  summary_description: text,
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isUrl(value: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(value) && parseUrl(value) !== undefined;
}

function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(value))
    return false;
  return !Number.isNaN(Date.parse(value));
}

/** A value as printed in a line: short. */
export function shown(value: unknown): string {
  const written = JSON.stringify(value) ?? 'absent';
  return written.length > 60 ? `${written.slice(0, 60)}...` : written;
}

export function judgeMembers(
  report: Report,
  names: Names,
  at: string,
  value: unknown,
  members: Members,
  within?: string,
): void {
  for (const [name, { says, wrong }] of Object.entries(members)) {
    const problem = isObject(value) ? wrong(value[names.member(name)]) : `stands in ${shown(value)}`;
    report.judge(at, `${within === undefined ? name : `${within}.${name}`} is ${says}`, problem);
  }
}
