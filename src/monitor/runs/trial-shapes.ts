/** The reply of a trial of a search. */
import { z } from 'zod';
import { SERVICE_KINDS } from '../../model/closed-lists.ts';
import { forCounters, POST_COUNTERS } from '../../model/counters.ts';
import { OPERATIONS, SOURCES } from '../../model/enumerations.ts';
import { idShape, timeShape } from '../../model/value-shapes.ts';

const nullableText = z.string().nullable();
const postCounters = forCounters(POST_COUNTERS, () => z.number().nullable().describe('Null if unknown.'));
const knownMember = z.boolean().describe('True if any search has already found it.');

const TrialPost = z.object({
  external_id: z.string().describe('Id at the service.'),
  author_username: nullableText,
  author_name: nullableText,
  text: z.string(),
  url: nullableText,
  created_at: timeShape.nullable().describe('Time of publication; null if unknown.'),
  lang: nullableText,
  ...postCounters,
  known: knownMember,
});

const TrialLink = z.object({
  url: z.string(),
  site: z.string(),
  source: z.enum(SOURCES),
  title: nullableText,
  snippet: nullableText,
  published_at: timeShape.nullable(),
  known: knownMember,
});

const OpenedPages = z.object({
  limit_ms: z.int(),
  ms: z.int(),
  most: z.int(),
  opened: z.array(
    z.object({
      url: z.string(),
      why: nullableText.describe('Why it could not be read; null if it was.'),
      published_date: nullableText,
      author: nullableText,
      language: nullableText,
    }),
  ),
});

export const AskedSource = z.object({
  source: z.string(),
  tool: z.string(),
  queries: z.array(z.string()).describe('Words as they were sent; empty if the source matches by itself.'),
  state: z.enum(['asked', 'answered', 'failed']),
  results: z.int().describe('Distinct results, before they are ranked and filtered.'),
  ms: z.int().nullable().describe('Time until its last response, in milliseconds.'),
  code: nullableText.describe('Why it failed.'),
  message: nullableText,
});

/** The result of a trial. */
export const Trial = z
  .object({
    id: idShape.describe('Key in the view trials.'),
    service: z.string(),
    service_kind: z.enum(SERVICE_KINDS),
    operation: z.enum(OPERATIONS),
    sent_at: timeShape,
    received_at: timeShape,
    latency_ms: z.number().describe('From request to last byte, in milliseconds.'),
    cost_usd: z.number().nullable().describe('Cost of the call in US dollars; null if not reported.'),
    free: z.boolean().describe('Whether calls of the service are known to cost nothing.'),
    bytes: z.int().describe('Size of the decoded response.'),
    items_seen: z.int().describe('Items in the response, including rejected ones.'),
    rejected: z.int().describe('Items that could not be parsed.'),
    posts_found: z.int(),
    posts_known: z.int(),
    posts: z.array(TrialPost).describe('The first results, in the order of the response.'),
    links_found: z.int(),
    links_known: z.int(),
    links: z.array(TrialLink).describe('The first results, in the order of the response.'),
    completion: z
      .object({
        summary: nullableText,
        microblog_summary: nullableText,
        discussion_board_summary: nullableText,
        news_forum_summary: nullableText,
      })
      .nullable(),
    warnings: z.array(z.unknown()).describe('Warnings of the service.'),
    plan: z
      .array(AskedSource)
      .nullable()
      .describe('What each source was asked, and what it returned; null if the service does not say.'),
    pages: OpenedPages.nullable().describe(
      'Pages that the service opened for its answer; null if it opened none, or does not say.',
    ),
  })
  .meta({ id: 'Trial' });
