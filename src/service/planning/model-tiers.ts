/** Limits of each model: all do the same work with other numbers. */
import { type Model, MODEL_BUDGET_MS } from '../../model/enumerations.ts';
import { SECOND } from '../../lib/time.ts';

export type ModelTier = {
  /** For the whole response, in milliseconds. */
  budgetMs: number;
  /** Time limit per source and round, in milliseconds: all rounds take at most 70 % of the budget. */
  sourceMs: number;
  /** Maximum items per tool. */
  items: number;
  /** Narrower wordings of the prompt to send to a live source, in addition to the user's own. */
  narrower: number;
  /** Maximum wait for a language model that plans further wordings, in milliseconds; part of the time of the sources. 0: none plans. */
  planMs: number;
  /** Maximum number of found pages to open, and the time limit for all of them together, in milliseconds. */
  pages: number;
  pagesMs: number;
  /** Single keywords to send in a second round if the first found too little. */
  again: number;
};

/** A smaller share of `items` is too little. */
export const MIN_RESULT_SHARE = 0.25;

export const MODEL_TIERS: Record<Model, ModelTier> = {
  NOVA: {
    budgetMs: MODEL_BUDGET_MS.NOVA,
    sourceMs: 6 * SECOND,
    items: 10,
    planMs: 0,
    pages: 0,
    pagesMs: 0,
    narrower: 0,
    again: 0,
  },
  ORBIT: {
    budgetMs: MODEL_BUDGET_MS.ORBIT,
    sourceMs: 12 * SECOND,
    items: 20,
    planMs: 5 * SECOND,
    pages: 5,
    pagesMs: 5 * SECOND,
    narrower: 1,
    again: 0,
  },
  HORIZON: {
    budgetMs: MODEL_BUDGET_MS.HORIZON,
    sourceMs: 25 * SECOND,
    items: 40,
    planMs: 12 * SECOND,
    pages: 15,
    pagesMs: 15 * SECOND,
    narrower: 3,
    again: 2,
  },
};
