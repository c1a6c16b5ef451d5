/** A brief: two or three cited sentences that a language model writes over stored evidence, and what it is asked. Pure. */
import { z } from 'zod';
import { BRIEF_SOURCE_KINDS } from './closed-lists.ts';

/** Sentences of a brief. */
export const MAX_BRIEF_SENTENCES = 3;
/** Items of evidence of a request to the model. */
export const MAX_EVIDENCE = 24;
/** A brief of less would only repeat it. */
export const MIN_EVIDENCE = 2;

export type BriefSourceKind = (typeof BRIEF_SOURCE_KINDS)[number];

/** As it is stored and returned: only add members. */
export const Brief = z
  .object({
    sentences: z
      .array(
        z.object({
          text: z.string(),
          sources: z.array(z.int()).describe('Numbers of the sources that state it.'),
        }),
      )
      .max(MAX_BRIEF_SENTENCES),
    sources: z
      .array(
        z.object({
          n: z.int().describe('Number, from 1.'),
          kind: z.enum(BRIEF_SOURCE_KINDS).describe('`claim`: a statement of an answer.'),
          id: z.string(),
          page: z.string().describe('Path of its page in the dashboard.'),
        }),
      )
      .describe('What the sentences cite.'),
    model: z.string().describe('The language model that wrote it (`LLM_MODEL`).'),
    written_at: z.string().meta({ format: 'date-time' }).describe('When it wrote it.'),
  })
  .meta({ id: 'Brief' });
export type Brief = z.infer<typeof Brief>;

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

/**
 * - `written`: the sentences that the evidence supports; none is possible
 * - `unusable`: the model responded with something else
 * - `unavailable`: there was no response, or the limit of the day is reached; the reason ends a sentence about the model
 */
export type BriefReply =
  | { outcome: 'written'; sentences: readonly BriefSentence[] }
  | { outcome: 'unusable'; reason: string }
  | { outcome: 'unavailable'; reason: string };

/** The language model, as the monitor uses it for briefs. */
export type BriefWriter = {
  /** Its name. */
  model: string;
  /** Sends two requests at most: one to write, one to check. Throws only if the signal aborts. */
  write(request: BriefRequest, signal: AbortSignal): Promise<BriefReply>;
};

/** `Sentence. (post 12) (claim 3)`: what it cites by name, where numbers lead nowhere. */
export function nameBriefLine(
  { text, sources }: Brief['sentences'][number],
  { sources: all }: Pick<Brief, 'sources'>,
): string {
  const named = all.flatMap(({ n, kind, id }) => (sources.includes(n) ? [`(${kind} ${id})`] : []));
  return [text, ...named].join(' ');
}
