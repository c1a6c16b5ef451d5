/** A completion whose links have no numbers yet: the output of both writers. */
import { CLAIM_ROLES, type Source } from '../../model/enumerations.ts';
import type { KeyList, StatementRole } from '../../model/parsed-results.ts';

export type CompletionRole = StatementRole;
/** In the order in which a stream sends them: the summary of all comes last. */
export const COMPLETION_ROLES: readonly CompletionRole[] = [
  ...CLAIM_ROLES.filter((role) => role !== 'summary'),
  'summary',
];

/** A sentence and the links that support it, at least one. */
type CitedSentence = { text: string; links: readonly string[] };

export type SectionDraft = {
  sentences: readonly CitedSentence[];
  key: readonly { text: string; link: string }[];
  /** Parts of the query that no source answers, in words of the query; set by a model, for the summary of all. */
  missing?: readonly string[];
};

/** The sources that each text uses, and its list of key items. */
export const COMPLETION_SECTIONS: Record<
  CompletionRole,
  { reads: readonly Source[]; key: KeyList; keyOf: readonly Source[] }
> = {
  microblog_summary: { reads: ['microblog'], key: 'key_microblog_posts', keyOf: ['microblog'] },
  discussion_board_summary: { reads: ['discussion_board'], key: 'key_posts', keyOf: ['discussion_board'] },
  news_forum_summary: { reads: ['news_forum'], key: 'key_news', keyOf: ['news_forum'] },
  summary: {
    reads: ['web', 'news_forum', 'discussion_board', 'microblog', 'video', 'preprint', 'encyclopedia'],
    key: 'key_sources',
    keyOf: ['web', 'encyclopedia', 'preprint', 'video'],
  },
};

export const MAX_KEY_ITEMS = 5;
