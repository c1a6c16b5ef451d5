/**
 * The results of a parsed response: our own types, cleaned, with every member of the specification. Text is well-formed
 * and without NUL, times are ISO strings in UTC, counters are integers or null (unknown is not zero), references are
 * ids or null.
 */
import type { AskedSource, OpenedPages } from './asked-source.ts';
import type { AuthorCounter, PostCounter } from './counters.ts';
import type { AUTHOR_MEMBERS, Content, POST_MEMBERS } from './members.ts';
import type { CLAIM_ROLES, KEY_LISTS, Source } from './enumerations.ts';
import type { RejectCode } from './errors.ts';
import type { TimePrecision } from '../lib/time.ts';
import type { ToolReport } from './tool-coverage.ts';

export type ParsedAuthor = Record<AuthorCounter, number | null> &
  Content<typeof AUTHOR_MEMBERS> & {
    external_id: string;
    /** Whether its post is nested in another one, see {@link ParsedPost}. */
    is_partial: boolean;
  };

export type ParsedPost = Record<PostCounter, number | null> &
  Content<typeof POST_MEMBERS> & {
    external_id: string;
    /** `external_id` of its author; null if the response does not contain it. */
    author_external_id: string | null;
    /** Empty if the response only refers to the post. */
    text: string;
    /**
     * Whether the copy is nested in another post, or shortened. A partial copy fills what is unknown, and never replaces
     * what a full one said.
     */
    is_partial: boolean;
  };

export type ParsedLink = {
  /** The identity of the link, by the built-in rules of `link-identity.ts`. */
  canonical: string;
  /** The first address in the response, as returned. */
  address: string;
  /** Its addresses in the response, in order, at most 100. */
  addresses: string[];
  /** Host of the identity. */
  site: string;
  source: Source;
  title: string | null;
  snippet: string | null;
  summary_description: string | null;
  with_metadata: boolean | null;
  published_at: string | null;
  /** Null if `published_at` is. */
  published_precision: TimePrecision | null;
  /** The publication or channel that the result names as its source. */
  publisher: string | null;
  highlights: string[] | null;
};

/** A link that is only referenced (by a completion or a key item): resolved, but not a sighting. */
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

/** A sentence of a completion with its citations. */
export type ParsedStatement = {
  role: StatementRole;
  /** Position in the completion, across all its texts, from 0. */
  position: number;
  /** One line, without citation marks. */
  text: string;
  /** 32 hexadecimal digits: equal for equal words, ignoring case and white space. */
  identity: string;
  citations: ParsedCitation[];
  /** Cited numbers that the response does not resolve. */
  unresolved: number[];
};

/** `returned`: the link, or the post at its address, is a result of the same response. */
export type ParsedCitation = LinkRef & { returned: boolean };

export type ParsedCompletion = {
  summary: string | null;
  microblog_summary: string | null;
  discussion_board_summary: string | null;
  news_forum_summary: string | null;
  /** Third generation only: further text of the response. */
  text: string | null;
  /** The pieces of `text_chunks.microblog_summary`, which form its text; null if missing. */
  text_chunks: string[] | null;
  completion_links: LinkRef[];
  search_completion_links: LinkRef[];
  key_items: ParsedKeyItem[];
  /** The statements of its texts. */
  claims: ParsedStatement[];
  /** Third generation only: relevance by post id or address. */
  miner_link_scores: Record<string, string> | null;
  warnings: Warning[];
};

/** A problem reported by the service: `tool` returned nothing, and why. */
export type Warning = { code: string | null; tool: string | null; message: string | null };

/** An item that could not be parsed: its path, the reason, and its beginning. */
export type Reject = { path: string; code: RejectCode; sample: string };

/** What a response says of a source of the topic, by its id. */
export type ParsedSourceReport = {
  id: string;
  state: 'read' | 'pending' | 'failed' | 'unasked';
  title: string;
  entries: number;
  newest: string | null;
  problem: string | null;
};

export type ParsedResults = {
  /** Posts in the order of the response, distinct: sightings of the search. */
  posts: ParsedPost[];
  /** Posts that only occur inside others (quoted, reposted): stored, but not sightings. */
  nestedPosts: ParsedPost[];
  /** Authors of all these posts, distinct. */
  authors: ParsedAuthor[];
  /** Links in the order of the response, distinct by identity: sightings of the search. */
  links: ParsedLink[];
  completion: ParsedCompletion | null;
  /** From both operations. */
  warnings: Warning[];
  /** What the response says about its tools. */
  tools: ToolReport[];
  /** What each source was asked; null if the response does not say. */
  plan: AskedSource[] | null;
  /** Pages that were opened; null if none was, or the response does not say. */
  pages: OpenedPages | null;
  /** Of our own service only. */
  ownSources: ParsedSourceReport[];
  rejects: Reject[];
  /**
   * Number of items in the response, valid or not: posts, results and links of the completion; duplicates count once.
   */
  itemsSeen: number;
};
