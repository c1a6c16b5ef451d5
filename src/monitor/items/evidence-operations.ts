/** The operation on evidence: one file that says what was found, and the raw responses that say so. */
import { z } from 'zod';
import { EVIDENCE_KINDS, SERVICE_KINDS } from '../../model/closed-lists.ts';
import { OPERATIONS } from '../../model/enumerations.ts';
import { idParam, idShape, timeShape } from '../../model/value-shapes.ts';
import { commandWords, declareOperation } from '../operation.ts';

const Response = z
  .object({
    run_id: idShape,
    call: z.int().describe('Number of the call of its run, from 1.'),
    search: z.string(),
    topic: z.string(),
    service: z.string(),
    service_kind: z.enum(SERVICE_KINDS),
    operation: z.enum(OPERATIONS),
    prompt: z.string().describe('What was asked.'),
    sent_at: timeShape,
    received_at: timeShape.nullable(),
    http_status: z.int().nullable().describe('Null if the response has expired (ANSWER_DAYS).'),
    content_type: z.string().nullable(),
    bytes: z.int().nullable().describe('Length as received, decompressed.'),
    sha256: z
      .string()
      .nullable()
      .describe('SHA-256 of these bytes in hexadecimal, written when the response was stored.'),
    sha256_matches: z
      .boolean()
      .nullable()
      .describe('Whether the stored bytes still have this hash; null if they are not in this file.'),
    body: z
      .string()
      .nullable()
      .describe('The response as it was received; null if it has expired or exceeds the size of this file.'),
    body_encoding: z
      .enum(['text', 'base64'])
      .nullable()
      .describe('`text`: the bytes are the UTF-8 of `body`. `base64`: they are not UTF-8.'),
  })
  .meta({ id: 'EvidenceResponse' });

const rows = z.array(z.looseObject({}));

const Evidence = z
  .object({
    kind: z.enum(EVIDENCE_KINDS),
    id: idShape.describe('Id of the post, link or spike; of a completion, the id of its run.'),
    page: z.string().describe('Path of its page.'),
    made_at: timeShape.describe('When this file was made.'),
    made_by: z.string().describe('Program and version.'),
    is_sample: z.boolean().describe('True in the sandbox: everything in it is simulated.'),
    subject: z.looseObject({}).describe('The thing as it is stored now: a row of its view.'),
    versions: rows.describe(
      'Of a post: its texts over time, the text at first sight first; at most the newest 100.',
    ),
    addresses: z.array(z.string()).describe('Of a link: every URL under which it was seen.'),
    counters: rows.describe('Of a post: its counters at each change, oldest first; at most the newest 500.'),
    sightings: rows.describe(
      'Of a post or link: the searches that saw it, with time and run of the first sighting.',
    ),
    posts: rows.describe('Of a spike: the posts of its window, earliest first; at most 100.'),
    responses: z
      .array(Response)
      .describe(
        'The responses of the runs that first saw it or saw it changed: at most 20 runs, bodies up to 1 MiB together.',
      ),
  })
  .meta({ id: 'Evidence' });

export const EVIDENCE_OPERATIONS = [
  declareOperation({
    id: 'getEvidence',
    tag: 'evidence',
    scope: 'read',
    route: 'GET /api/v1/evidence/{kind}/{id}',
    command: 'evidence',
    does: 'Get the evidence of a post, link, completion or spike',
    more: 'One file with what was found, when, by which search, how it changed, and the raw responses with their SHA-256: what somebody needs who must show that it was there. To check a response, compute the SHA-256 of `body` and compare it with `sha256`. Texts of strangers are quoted as they were received.',
    input: z.strictObject({
      kind: z
        .enum(EVIDENCE_KINDS)
        .meta({ description: 'Of what.', examples: ['post'] })
        .register(commandWords, { argument: 'kind', help: EVIDENCE_KINDS.join(', ') }),
      id: idParam.describe('Its id; of a completion, the id of its run.').register(commandWords, {
        argument: 'id',
        help: 'its id; of a completion, the id of its run',
      }),
    }),
    output: Evidence,
    example: 'strandline evidence post 1 > evidence.json',
    run: async ({ ctx }, input) => (await import('./read-evidence.ts')).readEvidence(ctx, input),
  }),
];
