/** Pure: what replies say of new searches. */
import { z } from 'zod';

/** Members of the reply of an operation that creates searches. */
export const NOTE_MEMBERS = {
  free: z.boolean().describe('Whether calls of the new searches are known to cost nothing.'),
  forecast: z
    .array(z.string())
    .describe('Calls and cost of the new searches, and their tools with and without a source, in sentences.'),
  notes: z.array(z.string()).describe('What else a person should know, in sentences.'),
};
