/** From what was found to a completion: by a language model where there is one, otherwise in quotations. */
import type { Completion } from '../../contract/completion.ts';
import type { Logger } from '../../engine/logger.ts';
import type { Findings } from '../retrieve.ts';
import { quoteCompletion } from './extractive.ts';
import type { LanguageModel } from './model.ts';

export const ROLES = [
  'microblog_summary',
  'discussion_board_summary',
  'news_forum_summary',
  'summary',
] as const;
export type Role = (typeof ROLES)[number];

export type Writing = {
  prompt: string;
  at: Date;
  /** What is left for writing, in milliseconds. */
  budgetMs: number;
  signal: AbortSignal;
  log: Logger;
  /** Undefined: the completion is made of quotations. */
  model: LanguageModel | undefined;
  /** Told of each text as soon as it is final. */
  told?: (role: Role, text: string) => void;
};

export type Written = {
  completion: Completion;
  /** The addresses that the completion cites, in the order of their first citation. */
  links: string[];
  /** `none`: nothing was found, so nothing was written. */
  writer: 'none' | 'extractive' | 'model';
};

/** @throws the signal's reason when the client is gone; nothing else */
export async function writeCompletion(findings: Findings, { told, signal }: Writing): Promise<Written> {
  signal.throwIfAborted();
  const written = quoteCompletion(findings);
  for (const role of ROLES) told?.(role, written.completion[role]);
  const none = [...findings.values()].every((found) => found.length === 0);
  return { ...written, writer: none ? 'none' : 'extractive' };
}
