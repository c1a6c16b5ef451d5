/** What a search that was tried out has found, as it is shown: read, and not stored. */
import type { Operation, Source } from '../../contract/enumerations.ts';
import type { Id } from '../../store/database.ts';
import type { ServiceKind } from '../../store/services.ts';
import type { Findings, PostCounter, ReadAuthor, ReadLink, ReadPost, Warning } from '../read/findings.ts';

/** What one call brought. None of it is stored but the row of the call itself. */
export type Trial = Found & {
  /** Key in the view `trials`. */
  id: Id;
  service: string;
  service_kind: ServiceKind;
  operation: Operation;
  sent_at: Date;
  received_at: Date;
  /** From request to last byte, in milliseconds. */
  latency_ms: number;
  /** What the service said the call cost, in US dollars; null when it said nothing. */
  cost_usd: number | null;
  /** Size of the decoded answer. */
  bytes: number;
};

export type Found = {
  /** Items in the answer, read or not. */
  items_seen: number;
  /** Items that could not be read. */
  rejected: number;
  /** How many posts there are, and how many of them the database holds already, through whichever search. */
  posts_found: number;
  posts_known: number;
  /** The first of them, in the answer's order. */
  posts: TriedPost[];
  links_found: number;
  links_known: number;
  links: TriedLink[];
  /** Null for a microblog search, and where the answer has none. */
  completion: TriedCompletion | null;
  /** What the service says was not as asked. */
  warnings: Warning[];
};

export type TriedPost = Record<PostCounter, number | null> & {
  external_id: string;
  author_username: string | null;
  author_name: string | null;
  text: string;
  url: string | null;
  created_at: Date | null;
  lang: string | null;
  known: boolean;
};

export type TriedLink = {
  url: string;
  site: string;
  source: Source;
  title: string | null;
  snippet: string | null;
  published_at: Date | null;
  known: boolean;
};

export type TriedCompletion = Record<(typeof TEXTS)[number], string | null>;
const TEXTS = ['summary', 'microblog_summary', 'discussion_board_summary', 'news_forum_summary'] as const;

/** @param shown most posts, and most links */
export function foundIn(
  { posts, links, authors, completion, warnings, rejects, itemsSeen }: Findings,
  known: { posts: ReadonlySet<string>; links: ReadonlySet<string> },
  shown: number,
): Found {
  const writers = new Map(authors.map((author) => [author.external_id, author]));
  const isKnownPost = ({ external_id: id }: ReadPost) => known.posts.has(id);
  const isKnownLink = ({ canonical }: ReadLink) => known.links.has(canonical);
  return {
    items_seen: itemsSeen,
    rejected: rejects.length,
    posts_found: posts.length,
    posts_known: posts.filter(isKnownPost).length,
    posts: posts
      .slice(0, shown)
      .map((post) => triedPost(post, writers.get(post.author_external_id ?? ''), isKnownPost(post))),
    links_found: links.length,
    links_known: links.filter(isKnownLink).length,
    links: links.slice(0, shown).map((link) => triedLink(link, isKnownLink(link))),
    completion: completion && {
      summary: completion.summary,
      microblog_summary: completion.microblog_summary,
      discussion_board_summary: completion.discussion_board_summary,
      news_forum_summary: completion.news_forum_summary,
    },
    warnings,
  };
}

function triedPost(post: ReadPost, author: ReadAuthor | undefined, known: boolean): TriedPost {
  const { external_id, text, url, lang } = post;
  return {
    external_id,
    author_username: author?.username ?? null,
    author_name: author?.name ?? null,
    text,
    url,
    created_at: timeOf(post.created_at),
    lang,
    reply_count: post.reply_count,
    repost_count: post.repost_count,
    like_count: post.like_count,
    view_count: post.view_count,
    quote_count: post.quote_count,
    impression_count: post.impression_count,
    bookmark_count: post.bookmark_count,
    known,
  };
}

function triedLink(link: ReadLink, known: boolean): TriedLink {
  const { canonical: url, site, source, title, snippet } = link;
  return { url, site, source, title, snippet, published_at: timeOf(link.published_at), known };
}

function timeOf(iso: string | null): Date | null {
  return iso === null ? null : new Date(iso);
}
