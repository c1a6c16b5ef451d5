/** Results of a trial: the first posts and links of a response, and which of them are already known. */

import type { AskedSource, OpenedPages } from '../../model/asked-source.ts';
import { forCounters, POST_COUNTERS, type PostCounter } from '../../model/counters.ts';
import type {
  ParsedAuthor,
  ParsedCompletion,
  ParsedLink,
  ParsedPost,
  ParsedResults,
  StatementRole,
  Warning,
} from '../../model/parsed-results.ts';

/** The results of a response, as shown to people. */
export type TrialResults = {
  /** Items in the response, including rejected ones. */
  items_seen: number;
  /** Items that could not be parsed. */
  rejected: number;
  /** Number of posts, and of those that any search has already found. */
  posts_found: number;
  posts_known: number;
  /** The first posts, in the order of the response. */
  posts: TrialPost[];
  links_found: number;
  links_known: number;
  links: TrialLink[];
  /** Null for a microblog search, and if the response has none. */
  completion: Pick<ParsedCompletion, StatementRole> | null;
  /** Warnings of the service. */
  warnings: Warning[];
  /** What each source was asked, and what it returned; null if the service does not say. */
  plan: AskedSource[] | null;
  /** Pages that the service opened for its answer; null if it opened none, or does not say. */
  pages: OpenedPages | null;
};

export type TrialPost = Pick<ParsedPost, PostCounter | 'external_id' | 'text' | 'url' | 'lang'> & {
  author_username: string | null;
  author_name: string | null;
  created_at: Date | null;
  known: boolean;
};

export type TrialLink = Pick<ParsedLink, 'site' | 'source' | 'title' | 'snippet'> & {
  url: string;
  published_at: Date | null;
  known: boolean;
};

/** @param shown maximum number of posts, and of links */
export function summarizeResults(
  { posts, links, authors, completion, warnings, plan, pages, rejects, itemsSeen }: ParsedResults,
  known: { posts: ReadonlySet<string>; links: ReadonlySet<string> },
  shown: number,
): TrialResults {
  const writers = new Map(authors.map((author) => [author.external_id, author]));
  const isKnownPost = ({ external_id: id }: ParsedPost) => known.posts.has(id);
  const isKnownLink = ({ canonical }: ParsedLink) => known.links.has(canonical);
  return {
    items_seen: itemsSeen,
    rejected: rejects.length,
    posts_found: posts.length,
    posts_known: posts.filter(isKnownPost).length,
    posts: posts
      .slice(0, shown)
      .map((post) => describePost(post, writers.get(post.author_external_id ?? ''), isKnownPost(post))),
    links_found: links.length,
    links_known: links.filter(isKnownLink).length,
    links: links.slice(0, shown).map((link) => describeLink(link, isKnownLink(link))),
    completion: completion && {
      summary: completion.summary,
      microblog_summary: completion.microblog_summary,
      discussion_board_summary: completion.discussion_board_summary,
      news_forum_summary: completion.news_forum_summary,
    },
    warnings,
    plan,
    pages,
  };
}

function describePost(post: ParsedPost, author: ParsedAuthor | undefined, known: boolean): TrialPost {
  const { external_id, text, url, lang } = post;
  return {
    external_id,
    author_username: author?.username ?? null,
    author_name: author?.name ?? null,
    text,
    url,
    created_at: toDate(post.created_at),
    lang,
    ...forCounters(POST_COUNTERS, (counter) => post[counter]),
    known,
  };
}

function describeLink(link: ParsedLink, known: boolean): TrialLink {
  const { address: url, site, source, title, snippet } = link;
  return { url, site, source, title, snippet, published_at: toDate(link.published_at), known };
}

function toDate(iso: string | null): Date | null {
  return iso === null ? null : new Date(iso);
}
