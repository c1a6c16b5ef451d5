/** Precision and recall of `changed`, on completions with planted changes and on pairs written by hand. */
import { findNews } from '../../src/model/statements/completion-change.ts';
import { runToEnd } from '../../src/lib/cooperative.ts';
import { CLAIM_ROLES } from '../../src/model/enumerations.ts';
import { createCitationResolver, parseStatements } from '../../src/monitor/parse/parse-statements.ts';
import { COMPLETION_PAIRS } from '../../test/samples/completion-pairs.ts';
import { cases, writeFor } from '../answers/sandbox.ts';
import { plantChange, type PlantedSentence } from './planted.ts';

export type Labelled = {
  what: string;
  before: readonly PlantedSentence[];
  after: readonly PlantedSentence[];
  changed: boolean;
};

/** The threshold is chosen on the first ones; the second ones were drawn afterwards. */
const SEEDS = { chosen: 0, drawn: 500_000 } as const;
const SEEDS_OF_SET = 1_000;
/** Every eleventh of 540: all prompts, times and tools occur. */
const EVERY = 11;

/** Changes planted into completions of the sandbox. */
export async function seedSet(name: keyof typeof SEEDS): Promise<Labelled[]> {
  const bases = await (written ??= writeBases());
  return Array.from({ length: SEEDS_OF_SET }, (_, i) => {
    const seed = SEEDS[name] + i;
    return { what: `seed ${seed}`, ...plantChange(seed, bases[seed % bases.length] ?? []) };
  });
}

/** Once for all sets. */
let written: Promise<string[][]> | undefined;

async function writeBases(): Promise<string[][]> {
  const bases: string[][] = [];
  for (const each of await cases(EVERY)) {
    const { completion } = await writeFor(each, undefined);
    const sentences = CLAIM_ROLES.flatMap((role) => readSentences(completion[role]).map(({ text }) => text));
    if (sentences.length > 0) bases.push(sentences);
  }
  return bases;
}

export const HAND_WRITTEN: readonly Labelled[] = COMPLETION_PAIRS.map(
  ({ what, lang, before, after, changed }) => ({
    what: `${what} (${lang})`,
    before: readSentences(before),
    after: readSentences(after),
    changed,
  }),
);

function readSentences(summary: string): PlantedSentence[] {
  const others = { microblog_summary: null, discussion_board_summary: null, news_forum_summary: null };
  const texts = { summary, ...others, text_chunks: null };
  const statements = runToEnd(
    parseStatements(texts, runToEnd(createCitationResolver({ links: [], posts: [], nestedPosts: [] }))),
  );
  return statements.map(({ text, citations, unresolved }) => ({
    text,
    isCited: citations.length + unresolved.length > 0,
  }));
}

/** @returns `wrong`: the pairs on which the measure and the label differ */
export function evaluate(pairs: readonly Labelled[], minShared: number) {
  const judged = pairs.map((pair) => ({
    ...pair,
    found: findNews(pair.after, [pair.before], minShared).length > 0,
  }));
  const right = judged.filter(({ found, changed }) => found && changed).length;
  return {
    precision: right / judged.filter(({ found }) => found).length,
    recall: right / judged.filter(({ changed }) => changed).length,
    wrong: judged.filter(({ found, changed }) => found !== changed),
  };
}

export const THRESHOLDS = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7];
/** A report that nothing caused costs trust; above this, the highest threshold misses least. */
const MIN_PRECISION = 0.98;

/** The highest threshold that is precise enough; 0 if none is. */
export function chooseThreshold(pairs: readonly Labelled[]): number {
  return THRESHOLDS.findLast((each) => evaluate(pairs, each).precision >= MIN_PRECISION) ?? 0;
}
