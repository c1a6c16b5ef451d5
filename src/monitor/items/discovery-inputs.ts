/** Inputs of operations on discoveries, and of streams. */
import { z } from 'zod';
import { idParam } from '../../model/value-shapes.ts';
import { DISCOVERY_VIEWS } from '../../store/queries/discoveries.ts';

/** Which discoveries count as new. */
export const viewParam = z
  .enum(DISCOVERY_VIEWS)
  .optional()
  .describe(
    'search: what each search found for the first time. topic: each item once per topic (`first_in_topic`). Default: search.',
  );

/** Id of the last discovery that the client has; 0 if it has none. */
export const afterDiscoveryId = z
  .union([z.codec(z.literal('0'), z.bigint(), { decode: () => 0n, encode: () => '0' as const }), idParam])
  .meta({ description: 'Id of the last discovery that you have; 0 for all.', examples: ['0'] });
