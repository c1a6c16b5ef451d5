/**
 * Name tables: the specification's name of each thing and its name on the wire. `neutral` is the specification itself;
 * `named` has the proper names that the hosted service uses, `named-2026` the short ids of tools that came later.
 */
import { buildMembers, SOURCES, TOOLS, type Source, type Tool } from '../model/enumerations.ts';

export type Names = {
  /** First segment of both paths. */
  service_prefix: string;
  /** Path of operation B after the prefix. */
  microblog_path: string;
  /** The tool's label on the wire, then its later short ids; the label is written, all are accepted. */
  tools: Record<Tool, readonly [label: string, ...shortIds: string[]]>;
  /** Members whose wire name differs, by neutral name. */
  members: Readonly<Record<string, string>>;
  /** Names of the flat groups of third-generation responses; the first is written, all are accepted. */
  later_flat_members: Record<Source, readonly [written: string, ...alsoRead: string[]]>;
};

/** Members that a dialect can rename. `repost` is not in the specification: it contains a reposted post. */
export const NEUTRAL_MEMBERS = [
  'web_search_results',
  'video_search_results',
  'news_forum_search_results',
  'discussion_board_search_results',
  'preprint_search_results',
  'encyclopedia_search_results',
  'microblog_summary',
  'discussion_board_summary',
  'news_forum_summary',
  'key_microblog_posts',
  'miner_microblog_posts',
  'repost_count',
  'is_quote_post',
  'is_repost',
  'repost',
] as const;

/** `web` of `Web Search`, `news_forum` of `News Forum Search`. */
function toShortId(tool: Tool): string {
  return tool.slice(0, -' Search'.length).replaceAll(' ', '_').toLowerCase();
}

export const NEUTRAL: Names = {
  service_prefix: 'search',
  microblog_path: 'ai/search/links/microblog',
  tools: buildMembers(TOOLS, (tool) => [tool, toShortId(tool)]),
  members: {},
  later_flat_members: {
    ...buildMembers(SOURCES, (source): [string, string] => [source, `${source}_search`]),
    web: ['web', 'search', 'web_search'],
    microblog: ['microblog', 'tweets', 'microblog_posts'],
  },
};

export const NAMED: Names = {
  service_prefix: 'desearch',
  microblog_path: 'ai/search/links/twitter',
  tools: {
    'Web Search': ['Web Search', 'web'],
    'News Forum Search': ['Hacker News Search', 'hackernews'],
    'Discussion Board Search': ['Reddit Search', 'reddit'],
    'Encyclopedia Search': ['Wikipedia Search', 'wikipedia'],
    'Video Search': ['Youtube Search', 'youtube'],
    'Microblog Search': ['Twitter Search', 'twitter'],
    'Preprint Search': ['ArXiv Search', 'arxiv'],
  },
  members: {
    video_search_results: 'youtube_search_results',
    news_forum_search_results: 'hacker_news_search_results',
    discussion_board_search_results: 'reddit_search_results',
    preprint_search_results: 'arxiv_search_results',
    encyclopedia_search_results: 'wikipedia_search_results',
    microblog_summary: 'twitter_summary',
    discussion_board_summary: 'reddit_summary',
    news_forum_summary: 'hacker_news_summary',
    key_microblog_posts: 'key_tweets',
    miner_microblog_posts: 'miner_tweets',
    repost_count: 'retweet_count',
    is_quote_post: 'is_quote_tweet',
    is_repost: 'is_retweet',
    repost: 'retweet',
  },
  later_flat_members: {
    web: ['search'],
    video: ['youtube_search'],
    news_forum: ['hacker_news_search'],
    discussion_board: ['reddit_search'],
    preprint: ['arxiv_search'],
    encyclopedia: ['wikipedia_search'],
    microblog: ['tweets'],
  },
};

export const NAMED_2026: Names = {
  ...NAMED,
  tools: buildMembers(TOOLS, (tool) => {
    const [label, shortId = label] = NAMED.tools[tool];
    return [shortId, label];
  }),
};
