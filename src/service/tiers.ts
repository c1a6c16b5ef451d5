/** What a model may spend on an answer: the same work with other numbers. */
import { type Model, MODEL_BUDGET_MS } from '../contract/enumerations.ts';
import { SECOND } from '../engine/clock.ts';

export type Tier = {
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

const SOURCE_SHARE = 0.6;
/** Fewer than this share of `items` is too little. */
export const TOO_LITTLE = 0.25;

export const TIERS: Record<Model, Tier> = {
  NOVA: tier('NOVA', 8 * SECOND, { items: 10, narrower: 0, again: 0 }),
  ORBIT: tier('ORBIT', 12 * SECOND, { items: 20, narrower: 1, again: 0 }),
  HORIZON: tier('HORIZON', 25 * SECOND, { items: 40, narrower: 3, again: 2 }),
};

function tier(model: Model, sourceMostMs: number, rest: Pick<Tier, 'items' | 'narrower' | 'again'>): Tier {
  const budgetMs = MODEL_BUDGET_MS[model];
  const sourceMs = Math.min(SOURCE_SHARE * budgetMs, sourceMostMs);
  return { budgetMs, sourceMs, ...rest };
}
