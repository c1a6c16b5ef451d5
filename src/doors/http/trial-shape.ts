/** What a search that was tried out brought. */
import { z } from 'zod';
import { OPERATIONS, SOURCES } from '../../contract/enumerations.ts';
import { POST_COUNTERS } from '../../contract/post.ts';
import { SERVICE_KINDS } from '../../store/services.ts';
import { idShape, timeShape } from '../../store/shapes.ts';

const text = z.string().nullable();
const counters = Object.fromEntries(
  POST_COUNTERS.map((name) => [name, z.number().nullable().describe('Null when unknown.')]),
);
const known = z.boolean().describe('Whether the database holds it already, through whichever search.');

const TriedPost = z.object({
  external_id: z.string().describe('Id given by the service.'),
  author_username: text,
  author_name: text,
  text: z.string(),
  url: text,
  created_at: timeShape.nullable().describe('When it was written; null when unknown.'),
  lang: text,
  ...counters,
  known,
});

const TriedLink = z.object({
  url: z.string(),
  site: z.string(),
  source: z.enum(SOURCES),
  title: text,
  snippet: text,
  published_at: timeShape.nullable(),
  known,
});

export const Trial = z
  .object({
    id: idShape.describe('Key in the view trials.'),
    service: z.string(),
    service_kind: z.enum(SERVICE_KINDS),
    operation: z.enum(OPERATIONS),
    sent_at: timeShape,
    received_at: timeShape,
    latency_ms: z.number().describe('From request to last byte, in milliseconds.'),
    cost_usd: z
      .number()
      .nullable()
      .describe('What the call cost, in US dollars; null when the service did not say.'),
    bytes: z.int().describe('Size of the decoded answer.'),
    items_seen: z.int().describe('Items in the answer, read or not.'),
    rejected: z.int().describe('Items that could not be read.'),
    posts_found: z.int(),
    posts_known: z.int(),
    posts: z.array(TriedPost).describe('The first of them, in the order of the answer.'),
    links_found: z.int(),
    links_known: z.int(),
    links: z.array(TriedLink).describe('The first of them, in the order of the answer.'),
    completion: z
      .object({
        summary: text,
        microblog_summary: text,
        discussion_board_summary: text,
        news_forum_summary: text,
      })
      .nullable(),
    warnings: z.array(z.unknown()).describe('What the service says was not as asked.'),
  })
  .meta({ id: 'Trial' });
