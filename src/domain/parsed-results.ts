/**
 * What an answer holds once it has been read: our own types, cleaned, with every member that the
 * specification names. Text is well-formed and without NUL, times are ISO strings in UTC, counters are
 * whole numbers or null (unknown is not zero), references are ids or null.
 */
import type { AuthorCounter, PostCounter } from './counters.ts';
import type { CLAIM_ROLES, KEY_LISTS, Source } from './enumerations.ts';
import type { RejectCode } from './errors.ts';

export type ParsedAuthor = Record<AuthorCounter, number | null> & {
  external_id: string;
  username: string | null;
  name: string | null;
  url: string | null;
  created_at: string | null;
  description: string | null;
  location: string | null;
  profile_image_url: string | null;
  verified: boolean | null;
  is_blue_verified: boolean | null;
  can_dm: boolean | null;
  can_media_tag: boolean | null;
};

export type ParsedPost = Record<PostCounter, number | null> & {
  external_id: string;
  /** `external_id` of its author; null when the answer does not say who wrote it. */
  author_external_id: string | null;
  text: string;
  url: string | null;
  created_at: string | null;
  lang: string | null;
  conversation_id: string | null;
  in_reply_to_screen_name: string | null;
  in_reply_to_status_id: string | null;
  in_reply_to_user_id: string | null;
  quoted_status_id: string | null;
  reposted_status_id: string | null;
  /** The quoted text where the wire gives `quote` as a string; a nested post becomes a post of its own. */
  quote: string | null;
  is_quote_post: boolean | null;
  is_repost: boolean | null;
  summary_description: string | null;
  /** Kept as they came, cleaned: JSON values. */
  media: unknown[];
  entities: Record<string, unknown>;
  hashtags: string[];
  mentions: string[];
  /** Expanded addresses inside the text, http and https only. */
  urls: string[];
};

export type ParsedLink = {
  /** Canonical address: the identity of a link. */
  canonical: string;
  /** The address as it came. */
  address: string;
  /** Host of the canonical address, without `www.`. */
  site: string;
  source: Source;
  title: string | null;
  snippet: string | null;
  summary_description: string | null;
  with_metadata: boolean | null;
  published_at: string | null;
};

/** A link that is only referred to (by a completion or a key item): resolved, not sighted. */
export type LinkRef = { canonical: string; address: string; site: string };

export type KeyList = (typeof KEY_LISTS)[number];

export type ParsedKeyItem = {
  list: KeyList;
  position: number;
  text: string;
  url: string | null;
  link: LinkRef | null;
};

export type StatementRole = (typeof CLAIM_ROLES)[number];

/** A sentence of a completion with what it cites. */
export type ParsedStatement = {
  role: StatementRole;
  /** Place in the completion, over all its texts, from 0. */
  position: number;
  /** Without its citation marks; one line. */
  text: string;
  /** 32 hexadecimal digits: equal where the words are, whatever their case and white space. */
  identity: string;
  citations: ParsedCitation[];
  /** Numbers that it cites and of which the answer does not say what they stand for. */
  unresolved: number[];
};

/** `returned`: the link, or the post at its address, is a result of the same answer. */
export type ParsedCitation = LinkRef & { returned: boolean };

export type ParsedCompletion = {
  summary: string | null;
  microblog_summary: string | null;
  discussion_board_summary: string | null;
  news_forum_summary: string | null;
  /** The pieces of `text_chunks.microblog_summary`, which joined are its text; null when absent. */
  text_chunks: string[] | null;
  completion_links: LinkRef[];
  search_completion_links: LinkRef[];
  key_items: ParsedKeyItem[];
  /** What its texts say, sentence by sentence. */
  claims: ParsedStatement[];
  /** Third generation only: relevance by post id or address. */
  miner_link_scores: Record<string, string> | null;
  warnings: Warning[];
};

/** What the service says was not as asked: `tool` gave nothing, and why. */
export type Warning = { code: string | null; tool: string | null; message: string | null };

/** An item that could not be read: where it stood, why, and its beginning. */
export type Reject = { path: string; code: RejectCode; sample: string };

export type ParsedResults = {
  /** Found posts in the order of the answer, each id once: sighted by the search. */
  posts: ParsedPost[];
  /** Posts that only stand inside others (quoted, reposted): stored, not sighted. */
  nestedPosts: ParsedPost[];
  /** Everyone who wrote any of them, each id once. */
  authors: ParsedAuthor[];
  /** Found links in the order of the answer, each canonical address once: sighted by the search. */
  links: ParsedLink[];
  completion: ParsedCompletion | null;
  /** Of either operation. */
  warnings: Warning[];
  rejects: Reject[];
  /** Items in the answer, read or not: posts, results and links of the completion; doubles counted once. */
  itemsSeen: number;
};
