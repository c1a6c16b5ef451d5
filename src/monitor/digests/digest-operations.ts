/** Operations on digests: what a span of time brought. */
import { DAY } from '../../lib/time.ts';
import { z } from 'zod';
import { idParam, idShape, timeShape } from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';
import { listDigests } from '../../store/alerts/digests.ts';
import { Digest } from './digest-shapes.ts';
import { parseZone } from '../schedule/time-zone.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { declareOperation } from '../operation.ts';
import { digestFilter, digestSpan, MAX_SPAN_DAYS, namedDigest } from './digest-inputs.ts';
import { InvalidInput } from '../../model/errors.ts';
import { readDigest } from './read-digest.ts';
import { findPastDigest } from './stored-digests.ts';

const members = {
  id: idShape,
  rule: z.string().describe('Slug of its rule.'),
  rule_name: z.string(),
  due_at: timeShape.describe('When it was due.'),
  state: z.enum(['sent', 'kept']).describe('kept: sent to nobody.'),
  reason: z.string().nullable().describe('Why it was sent to nobody; null if it was sent.'),
  from: timeShape,
  until: timeShape,
};
const PastDigest = z.object(members).meta({ id: 'PastDigest' });
const PastDigestWhole = z.object({ ...members, digest: Digest }).meta({ id: 'PastDigestWhole' });

const about = { tag: 'digests', scope: 'read' } as const;

export const getDigest = declareOperation({
  ...about,
  id: 'getDigest',
  route: 'GET /api/v1/digest',
  command: 'digest',
  does: 'Summarize a span of time',
  more: 'What was collected and what was not, what needs a person, how answers changed, what is new, best first, what still grows, and which topics are quiet. Of everything, or of one topic or search. Counters, and what needs a person, are as of now.',
  input: digestSpan,
  output: Digest,
  example: 'strandline digest --since yesterday --topic harbour-ferry',
  run: async ({ ctx }, { since, until = ctx.clock.now(), tz, ...scopeInput }) => {
    const from = since ?? new Date(until.getTime() - DAY);
    const length = until.getTime() - from.getTime();
    if (length <= 0 || length > MAX_SPAN_DAYS * DAY)
      throw new InvalidInput([
        {
          path: 'since',
          given: from.toISOString(),
          expected: `a time before the end, ${until.toISOString()}, at most ${MAX_SPAN_DAYS} days`,
        },
      ]);
    const scope = await findScope(ctx.db, scopeInput);
    return readDigest(ctx, { ...scope, from, until, tz: parseZone(tz) });
  },
});

export const DIGEST_OPERATIONS = [
  getDigest,
  declareOperation({
    ...about,
    id: 'listDigests',
    route: 'GET /api/v1/digests',
    command: 'digest list',
    does: 'List past digests, newest first',
    more: 'Digests of rules with a schedule, with those that were kept because nothing was new. They never change.',
    input: digestFilter,
    output: PastDigest,
    list: { cursor: z.tuple([idParam]), key: ({ id }: { id: Id }) => [id], shown: 20 },
    run: async ({ ctx, page: { limit, after } }, filter) => {
      const before = (after as [Id] | undefined)?.[0]; // as `list` declares it
      const rows = await listDigests(ctx.db, { ...filter, before, limit });
      return rows.map(({ value: _value, brief: _brief, ...row }) => row);
    },
  }),
  declareOperation({
    ...about,
    id: 'getPastDigest',
    route: 'GET /api/v1/digests/{id}',
    command: 'digest show',
    does: 'Show a past digest',
    more: 'As it was composed, but for what was forgotten or purged since.',
    input: namedDigest,
    output: PastDigestWhole,
    run: ({ ctx }, { id }) => findPastDigest(ctx.db, id),
  }),
];
