/**
 * The requests that this service accepts: the specification's with bounds, and what the hosted service's public clients
 * can ask for beyond it, in every dialect. Each of those members is honored, or refused by name.
 */

import type { Dialect } from '../protocol/dialect.ts';
import { ownSources } from '../protocol/own-sources.ts';
import { aiSearchRequest, microblogSearchRequest } from '../protocol/specification.ts';
import type { DateWindow } from './planning/retrieval.ts';
import { parsePublishedAt } from './sources/parse/published-at.ts';
import type { DomainFilter } from './sources/search-source.ts';
import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** The most entries of `tools`; doubles count here and are one afterwards. */
const MAX_TOOLS = 50;
const MAX_DOMAINS = 50;

/** A letter, a digit or a sign that can be seen: a NUL or a space of no width asks nothing. */
const VISIBLE_CHARACTER = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}]/u;

// An empty prompt gets a message of its own.
const visiblePrompt = aiSearchRequest.shape.prompt.refine(
  (text) => text === '' || VISIBLE_CHARACTER.test(text),
  'Value error, the prompt needs a visible character',
);

/** How many results each source returns, or how many of the newest posts. */
const resultCount = z.int().min(10).max(200).nullish();

const TIME_NEEDED = 'Value error, a time such as 2026-05-01T00:00:00Z is needed';
const time = z.string().transform((text, context) => {
  const at = parsePublishedAt(text);
  if (at === undefined) context.addIssue({ code: 'custom', message: TIME_NEEDED });
  return at ?? z.NEVER;
});
const DOMAIN_NEEDED = 'Value error, a domain such as bbc.com is needed, without scheme and path';
const domain = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^(?:[\p{L}\p{N}_-]{1,63}\.){1,20}[\p{L}\p{N}-]{2,63}$/u, DOMAIN_NEEDED)
  // As hosts of links are written: `xn--bcher-kva.example`.
  .transform(domainToASCII)
  .refine((ascii) => ascii !== '', DOMAIN_NEEDED);

/** An empty value asks for nothing. */
const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);
const refused = (member: string) =>
  z
    .unknown()
    .refine(isEmpty, `Value error, ${member} is not supported here: leave it out`)
    .describe('Not supported: leave it out.')
    .optional();

/** @param resultTypes those that the form of the answer can show */
function createAiRequest<const Type extends string>(resultTypes: readonly [Type, ...Type[]]) {
  return aiSearchRequest
    .extend({
      prompt: visiblePrompt,
      tools: aiSearchRequest.shape.tools.max(MAX_TOOLS),
      model: aiSearchRequest.shape.model.nullable(),
      date_filter: aiSearchRequest.shape.date_filter.nullable(),
      streaming: aiSearchRequest.shape.streaming.nullable(),
      start_date: time.nullish(),
      end_date: time.nullish(),
      count: resultCount,
      // The clients of 2025 may send an empty text.
      result_type: z
        .preprocess((value) => (value === '' ? null : value), z.enum(resultTypes).nullable())
        .optional(),
      include_domains: z.array(domain).max(MAX_DOMAINS).nullish(),
      exclude_domains: z.array(domain).max(MAX_DOMAINS).nullish(),
      own_sources: ownSources.nullish(),
      system_message: refused('system_message'),
      scoring_system_message: refused('scoring_system_message'),
    })
    .superRefine((request, context) => {
      const { date_filter, start_date: from, end_date: to } = request;
      if (date_filter && (from || to)) {
        const message = 'Value error, date_filter cannot be combined with start_date or end_date';
        context.addIssue({ code: 'custom', path: ['date_filter'], message });
      }
      if (from && to && to < from) {
        const message = 'Value error, end_date is before start_date';
        context.addIssue({ code: 'custom', path: ['end_date'], message });
      }
    });
}

const RESULT_TYPES = ['LINKS_WITH_FINAL_SUMMARY', 'ONLY_LINKS'] as const;

/** The request of operation A, by the form of its answer: only a grouped answer has a summary of each source. */
export const SERVICE_AI_REQUESTS = {
  grouped: createAiRequest([...RESULT_TYPES, 'LINKS_WITH_SUMMARIES']),
  flat: createAiRequest(RESULT_TYPES),
} as const satisfies Record<Dialect['answers'], unknown>;
export type ServiceAiRequest = z.infer<(typeof SERVICE_AI_REQUESTS)[Dialect['answers']]>;

/** The request of operation B. */
export const serviceMicroblogRequest = microblogSearchRequest.extend({
  prompt: visiblePrompt,
  model: microblogSearchRequest.shape.model.nullable(),
  count: resultCount,
  start_date: refused('start_date'),
  end_date: refused('end_date'),
  result_type: refused('result_type'),
  include_domains: refused('include_domains'),
  exclude_domains: refused('exclude_domains'),
  own_sources: ownSources.nullish(),
  system_message: refused('system_message'),
  scoring_system_message: refused('scoring_system_message'),
});

/** The requested dates; undefined if the date filter applies. Nothing is newer than the response, so the future is empty. */
export function readWindow({ start_date, end_date }: ServiceAiRequest, at: Date): DateWindow | undefined {
  if (!start_date && !end_date) return undefined;
  const [from, to] = [start_date, end_date].map((each) => (each && each > at ? at : (each ?? undefined)));
  return { from, to: to ?? at };
}

/** The domains for web results; undefined if there are none. A subdomain belongs to its domain. */
export function readDomains({
  include_domains: include,
  exclude_domains: exclude,
}: ServiceAiRequest): DomainFilter | undefined {
  const domains = { include: include ?? [], exclude: exclude ?? [] };
  return domains.include.length + domains.exclude.length === 0 ? undefined : domains;
}
