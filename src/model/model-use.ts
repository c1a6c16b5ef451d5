/** What a language model is asked for, and how often it was asked. */

import type { MODEL_PURPOSES } from './closed-lists.ts';

export type ModelPurpose = (typeof MODEL_PURPOSES)[number];

/** Requests to a language model on a day, over all processes that use the database. Null: the counter is unavailable. */
export type ModelUse = {
  purpose: ModelPurpose;
  /** In UTC: `2026-11-21`. */
  day: string;
  calls: number | null;
  /** Maximum number of calls. */
  most: number;
  /** Calls without a response that could be used. */
  failed: number | null;
  /** Calls whose response said how many tokens it cost; the tokens are those of these calls. */
  calls_with_tokens: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
};
