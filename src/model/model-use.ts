/** What a language model is asked for, how that can fail, and how often it was asked. */

import type { MODEL_PURPOSES } from './closed-lists.ts';

export type ModelPurpose = (typeof MODEL_PURPOSES)[number];

/**
 * How a request of the monitor ended without what it asked for; the reason ends a sentence about the model.
 * - `unusable`: the model responded with something else, and may do so again
 * - `unavailable`: there was no response, or the limit of the day is reached
 */
export type ModelTrouble = { outcome: 'unusable' | 'unavailable'; reason: string };

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
