import { z } from 'zod';
import { givenId } from '../given.ts';

/** The last discovery that was seen; 0 where none was. */
export const afterId = z
  .union([z.codec(z.literal('0'), z.bigint(), { decode: () => 0n, encode: () => '0' as const }), givenId])
  .meta({ description: 'Id of the last discovery that was seen; 0 for all there are.', examples: ['0'] });
