/**
 * How well `changed` of a completion tells news from other words: docs/internals/links-and-completions.md says what the
 * figures mean. Ends with 1 where a target is missed.
 *
 *   npm run -s bench:changes
 */
import { MIN_SHARED_WORDS } from '../src/model/statements/completion-change.ts';
import { chooseThreshold, evaluate, HAND_WRITTEN, seedSet, THRESHOLDS } from './changes/evaluate.ts';
import { aligned } from './report.ts';

const TARGET = 0.9;

const [chosen, drawn] = [await seedSet('chosen'), await seedSet('drawn')];
const sets = [chosen, drawn, HAND_WRITTEN];
const figure = (share: number) => share.toFixed(3);
const lines = THRESHOLDS.map((threshold) => [
  threshold === MIN_SHARED_WORDS ? `${threshold} *` : String(threshold),
  ...sets.flatMap((set) => {
    const { precision, recall } = evaluate(set, threshold);
    return [figure(precision), figure(recall)];
  }),
]);
const headings = [
  'shared words',
  'first seeds: precision',
  'recall',
  'later seeds: precision',
  'recall',
  'by hand: precision',
  'recall',
];
process.stdout.write(`${aligned([headings, ...lines])}\n`);
for (const { what, changed } of evaluate(HAND_WRITTEN, MIN_SHARED_WORDS).wrong)
  process.stdout.write(`${changed ? 'missed' : 'no news'}: ${what}\n`);

const isMissed = [drawn, HAND_WRITTEN].some((set) => {
  const { precision, recall } = evaluate(set, MIN_SHARED_WORDS);
  return precision < TARGET || recall < TARGET;
});
if (isMissed || chooseThreshold(chosen) !== MIN_SHARED_WORDS) process.exitCode = 1;
