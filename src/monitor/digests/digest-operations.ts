/** Operations on digests: what a span of time brought. */
import { DAY } from '../../domain/time.ts';
import { Digest } from './digest-shapes.ts';
import { parseZone } from '../schedule/time-zone.ts';
import { findScope } from '../topics/find-by-slug.ts';
import { declareOperation } from '../operation.ts';
import { digestSpan, MAX_SPAN_DAYS } from './digest-inputs.ts';
import { InvalidInput } from '../../domain/errors.ts';
import { readDigest } from './read-digest.ts';

const about = { tag: 'digests', scope: 'read' } as const;

export const DIGEST_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'getDigest',
    route: 'GET /api/v1/digest',
    command: 'digest',
    does: 'Summarize a span of time',
    more: 'What was collected and what was not, what needs a person, how answers changed, what is new, best first, what still grows, and which topics are quiet. Of everything, or of one topic or search. Counters, and what needs a person, are as of now.',
    input: digestSpan,
    output: Digest,
    example: 'strandline digest --since yesterday --topic harbour-ferry',
    run: async ({ ctx }, { since, until = ctx.clock.now(), tz, ...given }) => {
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
      const scope = await findScope(ctx.db, given);
      return readDigest(ctx, { ...scope, from, until, tz: parseZone(tz) });
    },
  }),
];
