/**
 * How a server spells the names of the specification. Kept separate from the code that serves:
 * a mistake in one of the two tables shows.
 */
import { readFileSync } from 'node:fs';
import { Unusable } from './unusable.ts';

export type Names = {
  prefix: string;
  microblogPath: string;
  /**
   * How operation A is answered: in the specification's groups, or `flat` as the hosted service does since 2026
   * (flat-answers.ts).
   */
  answers: 'grouped' | 'flat';
  tool: (label: string) => string;
  member: (name: string) => string;
};

type Table = {
  service_prefix?: string;
  microblog_path?: string;
  tools?: Record<string, string | readonly string[]>;
  members?: Record<string, string>;
};

const NAMED: Table = {
  service_prefix: 'desearch',
  microblog_path: 'ai/search/links/twitter',
  tools: {
    'News Forum Search': 'Hacker News Search',
    'Discussion Board Search': 'Reddit Search',
    'Encyclopedia Search': 'Wikipedia Search',
    'Video Search': 'Youtube Search',
    'Microblog Search': 'Twitter Search',
    'Preprint Search': 'ArXiv Search',
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
  },
};

const NAMED_2026: Table = {
  ...NAMED,
  tools: {
    'Web Search': 'web',
    'News Forum Search': 'hackernews',
    'Discussion Board Search': 'reddit',
    'Encyclopedia Search': 'wikipedia',
    'Video Search': 'youtube',
    'Microblog Search': 'twitter',
    'Preprint Search': 'arxiv',
  },
};

/** @param name `neutral`, `named`, `named-2026`, or a JSON file with any of `service_prefix, microblog_path, tools, members` */
export function readNames(name: string): Names {
  if (name === 'neutral') return namesOf({});
  if (name === 'named') return namesOf(NAMED);
  if (name === 'named-2026') return namesOf(NAMED_2026, 'flat');
  const table = readTable(name);
  return namesOf('named' in table ? (table['named'] as Table) : table); // a file of both dialects has it inside
}

function readTable(file: string): Table & Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Unusable(`--names ${file}: neutral, named, named-2026, or a JSON file that can be read`);
  }
  try {
    return JSON.parse(text) as Table & Record<string, unknown>; // of a person's own making
  } catch {
    throw new Unusable(`--names ${file}: the file is not JSON`);
  }
}

function namesOf(table: Table, answers: Names['answers'] = 'grouped'): Names {
  const { service_prefix, microblog_path, tools = {}, members = {} } = table;
  return {
    answers,
    prefix: service_prefix ?? 'search',
    microblogPath: microblog_path ?? 'ai/search/links/microblog',
    tool: (label) => [tools[label] ?? label].flat()[0] ?? label,
    member: (member) => members[member] ?? member,
  };
}
