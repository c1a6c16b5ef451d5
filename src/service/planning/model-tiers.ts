/** What a model may spend on an answer: the same work with other numbers. */
import { type Model, MODEL_BUDGET_MS } from '../../domain/enumerations.ts';
import { SECOND } from '../../domain/time.ts';

export type ModelTier = {
  /** For the whole answer, in milliseconds. */
  budgetMs: number;
  /** Each source is waited for this long in each round, in milliseconds: all rounds take 70 % of the budget at most. */
  sourceMs: number;
  /** The most items of one tool. */
  items: number;
  /** Under how many narrower wordings of the prompt a live source is asked beside the user's own. */
  narrower: number;
  /** With how many single keywords, in a second round, where the first found too little. */
  again: number;
};

const SOURCE_TIME_SHARE = 0.6;
/** Fewer than this share of `items` is too little. */
export const MIN_RESULT_SHARE = 0.25;

export const MODEL_TIERS: Record<Model, ModelTier> = {
  NOVA: createTier('NOVA', 8 * SECOND, { items: 10, narrower: 0, again: 0 }),
  ORBIT: createTier('ORBIT', 12 * SECOND, { items: 20, narrower: 1, again: 0 }),
  HORIZON: createTier('HORIZON', 25 * SECOND, { items: 40, narrower: 3, again: 2 }),
};

function createTier(
  model: Model,
  sourceMostMs: number,
  rest: Pick<ModelTier, 'items' | 'narrower' | 'again'>,
): ModelTier {
  const budgetMs = MODEL_BUDGET_MS[model];
  const sourceMs = Math.min(SOURCE_TIME_SHARE * budgetMs, sourceMostMs);
  return { budgetMs, sourceMs, ...rest };
}
