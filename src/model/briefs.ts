/** A brief: two or three cited sentences that a language model writes over stored evidence, and what it is asked. Pure. */
import type { BRIEF_SOURCE_KINDS } from './closed-lists.ts';
import type { ModelTrouble } from './model-use.ts';

/** Items of evidence of a request to the model. */
export const MAX_EVIDENCE = 24;
/** With less evidence, a brief would only repeat it. */
export const MIN_EVIDENCE = 2;

export type BriefSourceKind = (typeof BRIEF_SOURCE_KINDS)[number];

/** Something that is stored, as the model reads it. */
export type BriefItem = {
  kind: BriefSourceKind;
  text: string;
  /** In UTC: `2026-11-21`; null if it is not known. */
  day: string | null;
};

export type BriefRequest = {
  /** Name of the topic; '' for several. */
  about: string;
  /** The time of the request: "today" for the model. */
  at: Date;
  /** At most {@link MAX_EVIDENCE}. */
  items: readonly BriefItem[];
};

/** A sentence that its sources state. @property cites positions in the items of the request, from 0 */
export type BriefSentence = { text: string; cites: readonly number[] };

/** `written`: the sentences that the evidence supports, which may be none. */
export type BriefReply = { outcome: 'written'; sentences: readonly BriefSentence[] } | ModelTrouble;

/** The language model, as the monitor uses it for briefs. */
export type BriefWriter = {
  /** Its name. */
  model: string;
  /** Sends two requests at most: one to write, one to check. Throws only if the signal aborts. */
  write(request: BriefRequest, signal: AbortSignal): Promise<BriefReply>;
};
