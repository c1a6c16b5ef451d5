/** When a rule reports that a post grew: a counter passes a number, or its engagement is far above what is usual at its age. */
import { COUNTER_PLURALS, type CounterPlural } from './counters.ts';
import { formatWhole } from '../lib/display-format.ts';

/** `engagement`: likes, reposts, replies and quotes together. */
export const GROWTH_MEASURES = [...COUNTER_PLURALS, 'engagement'] as const;
export type GrowthMeasure = (typeof GROWTH_MEASURES)[number];

/** `least`: the number that the measure reaches; null for `unusual`. */
type GrowthCondition = { measure: GrowthMeasure; least: number | null };

export const UNUSUAL = 'unusual';
const MAX_LEAST = 1_000_000_000_000;
export const EXPECTED_CONDITION = `${UNUSUAL}, or a counter and the number that it reaches, such as likes>=1000 (${GROWTH_MEASURES.join(', ')})`;

/** Parses `likes>=1000`, `views >= 50000` or `unusual`. @returns null if it is none of these */
export function parseGrowthCondition(text: string): GrowthCondition | null {
  const written = text.replace(/\s+/g, '').toLowerCase();
  if (written === UNUSUAL) return { measure: 'engagement', least: null };
  const [, name, number] = /^([a-z]+)>=(\d{1,13})$/.exec(written) ?? [];
  const measure = GROWTH_MEASURES.find((known) => known === name);
  const least = Number(number);
  return measure === undefined || !(least >= 1 && least <= MAX_LEAST) ? null : { measure, least };
}

/** As it is stored and compared. */
export function writeGrowthCondition({ measure, least }: GrowthCondition): string {
  return least === null ? UNUSUAL : `${measure}>=${least}`;
}

/** The figures of a growth report, without the post. */
export type GrowthFigures = {
  condition: string;
  /** The counter, or the engagement, at the response. */
  value: number;
  /** Of `unusual`: the age in hours, the median at it, and the number of posts that it is the median of. */
  age_hours: number | null;
  usual: number | null;
  compared_with: number | null;
};

/** `Passed 1,000 likes: 1,204.`, or `Engagement of 250 at the age of 8 h, usually 12 (of 480 posts).` */
export function composeGrowthSentence(figures: GrowthFigures): string {
  const { condition, value, age_hours, usual, compared_with } = figures;
  const parsed = parseGrowthCondition(condition);
  if (parsed === null || parsed.least === null)
    return `Engagement of ${formatWhole(value)} at the age of ${age_hours ?? 0} h, usually ${formatWhole(Math.round(usual ?? 0))} (of ${compared_with ?? 0} posts).`;
  return `Passed ${formatWhole(parsed.least)} ${nameMeasure(parsed.measure)}: ${formatWhole(value)}.`;
}

function nameMeasure(measure: CounterPlural | 'engagement'): string {
  return measure === 'engagement' ? 'reactions' : measure;
}

/** Which posts grew is computed from when a rule asks for it, not for the past. */
export const UNKNOWN_GROWTH = 'Growth before the rule was created is not known.';
