import { z } from 'zod';
import { DATE_FILTERS, MODELS, TOOLS } from '../domain/enumerations.ts';

/** A prompt's greatest length, in characters. The specification shows no bound; see docs/specification-choices.md. */
export const MAX_PROMPT_LENGTH = 2_000;

/** The request of operation A, in the specification's words. Which members are required is our choice. */
export const aiSearchRequest = z.object({
  prompt: z.string().trim().min(1).max(MAX_PROMPT_LENGTH),
  tools: z.array(z.enum(TOOLS)).min(1),
  model: z.enum(MODELS).optional(),
  date_filter: z.enum(DATE_FILTERS).optional(),
  streaming: z.boolean().optional(),
});
export type AiSearchRequest = z.infer<typeof aiSearchRequest>;

/** The request of operation B, in the specification's words. */
export const microblogSearchRequest = z.object({
  prompt: z.string().trim().min(1).max(MAX_PROMPT_LENGTH),
  model: z.enum(MODELS).optional(),
});
