/**
 * Requests of the flat dialect: what the public clients of 2026 can ask for beyond the specification. Each member is
 * honored, or refused by name where this service cannot.
 */

import type { DomainFilter } from './sources/search-source.ts';
import { boundedAiSearchRequest, resultCount } from './request-parser.ts';
import { parsePublishedAt } from './sources/parse/published-at.ts';
import type { DateWindow } from './planning/retrieval.ts';
import { domainToASCII } from 'node:url';
import { z } from 'zod';

const MAX_DOMAINS = 50;
const RESULT_TYPES = ['LINKS_WITH_FINAL_SUMMARY', 'ONLY_LINKS'] as const;

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
const refused = (member: string) =>
  z
    .string()
    .refine(
      (text) => text.trim() === '',
      `Value error, ${member} is not supported by this service: leave it out`,
    )
    .describe('Not supported: leave it out.');

export const flatAiSearchRequest = boundedAiSearchRequest
  .extend({
    start_date: time.nullish(),
    end_date: time.nullish(),
    count: resultCount,
    result_type: z.enum(RESULT_TYPES).nullish(),
    include_domains: z.array(domain).max(MAX_DOMAINS).nullish(),
    exclude_domains: z.array(domain).max(MAX_DOMAINS).nullish(),
    system_message: refused('system_message').nullish(),
    scoring_system_message: refused('scoring_system_message').nullish(),
  })
  .superRefine((request, context) => {
    const { date_filter, start_date: from, end_date: to } = request;
    if (date_filter && (from || to)) {
      const message = 'Value error, date_filter cannot be combined with start_date or end_date';
      context.addIssue({ code: 'custom', path: ['date_filter'], message });
    }
    if (from && to && to < from)
      context.addIssue({
        code: 'custom',
        path: ['end_date'],
        message: 'Value error, end_date is before start_date',
      });
  });
export type FlatAiSearchRequest = z.infer<typeof flatAiSearchRequest>;

/** The requested dates; undefined if the date filter applies. Nothing is newer than the response, so the future is empty. */
export function readWindow({ start_date, end_date }: FlatAiSearchRequest, at: Date): DateWindow | undefined {
  if (!start_date && !end_date) return undefined;
  const [from, to] = [start_date, end_date].map((each) => (each && each > at ? at : (each ?? undefined)));
  return { from, to: to ?? at };
}

/** The domains for web results; undefined if there are none. A subdomain belongs to its domain. */
export function readDomains({
  include_domains: include,
  exclude_domains: exclude,
}: FlatAiSearchRequest): DomainFilter | undefined {
  const domains = { include: include ?? [], exclude: exclude ?? [] };
  return domains.include.length + domains.exclude.length === 0 ? undefined : domains;
}
