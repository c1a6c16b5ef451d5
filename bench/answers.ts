/**
 * How well completions are cited, and how well sentences are chosen: docs/internals/service.md says what the
 * figures mean. Ends with 1 where a target is missed.
 *
 *   npm run -s bench:answers [-- --opinosis FOLDER] [--questions]
 *
 * `--questions`: only the questions and topics, with each answer in full, to be read.
 */
import { parseArgs } from 'node:util';
import type { LanguageModel } from '../src/service/answering/language-model.ts';
import { coverage, mixed, PLANTED } from './answers/facts.ts';
import { readOpinosis } from './answers/opinosis.ts';
import { meanOf, rougeOf } from './answers/rouge.ts';
import { readAnswers, reportAnswers } from './answers/read.ts';
import { type Case, cases, writeFor } from './answers/sandbox.ts';
import { count, emptyTally, type Tally } from './answers/support.ts';
import { readTopics, reportTopics } from './answers/topics.ts';
import { WAYS } from './answers/ways.ts';
import { careless, honest } from './answers/writers.ts';
import { median } from './measure.ts';
import { aligned } from './report.ts';

const PRECISION = 1;
const RECALL = 0.95;
/** Of a summary of planted facts, in words; so long are those of Opinosis. */
const FACT_WORDS = 40;
const OPINOSIS_WORDS = 25;

const { values } = parseArgs({ options: { opinosis: { type: 'string' }, questions: { type: 'boolean' } } });
const inFull = values.questions === true;
const asked: string[] = [];
for (const [title, name] of [
  ['A hundred questions, without a key', 'asked'],
  ['A held-out hundred, on which nothing is improved', 'held-out'],
] as const) {
  print(`${title}\n\n`);
  asked.push(...reportAnswers(await readAnswers(name), print, inFull).map((miss) => `${name}: ${miss}`));
  print('\n');
}
print('Twenty topics\n\n');
asked.push(...reportTopics(await readTopics(), print, inFull));
if (inFull) {
  for (const miss of asked) print(`\nmissed: ${miss}`);
  process.exit(asked.length > 0 ? 1 : 0);
}
const all = await cases();
const misses: string[] = [...asked];

print(`\nCitations, over ${all.length} answers about simulated topics\n`);
const lines = [
  ['writer', 'answers', 'sentences', 'precision', 'recall', 'key items', 'silent', 'wrong links', 'words'],
];
for (const [name, model] of [
  ['quotations', undefined],
  ['honest model', honest],
  ['careless model', careless],
] as const) {
  const tally = await tallyOf(name, model);
  lines.push([
    name,
    String(tally.answers),
    String(tally.claims),
    share(tally.supportedCitations, tally.citations),
    share(tally.supportedClaims, tally.claims),
    share(tally.supportedKeyItems, tally.keyItems),
    String(tally.silent),
    String(tally.wrongLinks),
    (tally.words / tally.answers).toFixed(0),
  ]);
}
print(aligned(lines));

print('\nCPU of quoting, in milliseconds (middle of 200)\n');
for (const [model, items] of [
  ['NOVA', 60],
  ['HORIZON', 200],
] as const) {
  const largest = all.filter((one) => one.model === model).sort((a, b) => sizeOf(b) - sizeOf(a))[0];
  if (largest === undefined || sizeOf(largest) < items)
    throw new Error(`no answer of ${model} has ${items} items`);
  print(`${model}, ${sizeOf(largest)} items: ${(await cpuMs(largest)).toFixed(2)}`);
}

print('\nFacts that several people say, among what one says: the part that a summary holds\n');
print(
  aligned([
    ['way', 'coverage'],
    ...(await waysBy(async (way) =>
      mean(
        await Promise.all(
          PLANTED.map(async (one) => coverage(one, await way.summarise(mixed(one), FACT_WORDS))),
        ),
      ),
    )),
  ]),
);

if (values.opinosis !== undefined) {
  const topics = await readOpinosis(values.opinosis);
  print(`\nOpinosis, ${topics.length} topics, summaries of at most ${OPINOSIS_WORDS} words, ROUGE F1\n`);
  const names = [...new Set(WAYS.map(({ name }) => name))];
  const rows: string[][] = [];
  for (const name of names) {
    const scores = [];
    for (const way of WAYS.filter((each) => each.name === name))
      for (const { sentences, summaries } of topics)
        scores.push(rougeOf((await way.summarise(sentences, OPINOSIS_WORDS)).join(' '), summaries));
    const { r1, r2, rl } = meanOf(scores);
    rows.push([name, ...[r1, r2, rl].map((figure) => figure.toFixed(3))]);
  }
  print(aligned([['way', 'ROUGE-1', 'ROUGE-2', 'ROUGE-L'], ...rows]));
}

for (const miss of misses) print(`\nmissed: ${miss}`);
process.exitCode = misses.length > 0 ? 1 : 0;

async function tallyOf(name: string, model: LanguageModel | undefined): Promise<Tally> {
  const tally = emptyTally();
  for (const one of all) count(tally, one.findings, await writeFor(one, model));
  const { supportedCitations, citations, supportedClaims, claims, wrongLinks, silent } = tally;
  if (claims === 0) misses.push(`sentences of ${name}`);
  // Who cites the wrong one of two items that say nearly the same is not always found out: no target there.
  if (model !== careless) {
    if (supportedCitations < PRECISION * citations) misses.push(`precision of ${name}`);
    if (supportedClaims < RECALL * claims) misses.push(`recall of ${name}`);
  }
  if (wrongLinks > 0) misses.push(`links of ${name}`);
  if (silent > 0) misses.push(`texts of ${name}`);
  return tally;
}

async function cpuMs(one: Case): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const before = process.cpuUsage();
    await writeFor(one, undefined);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return median(times.slice(100));
}

/** The mean of each way, all draws of chance together. */
function waysBy(score: (way: (typeof WAYS)[number]) => Promise<number>): Promise<string[][]> {
  return Promise.all(
    [...new Set(WAYS.map(({ name }) => name))].map(async (name) => {
      const scores = await Promise.all(WAYS.filter((way) => way.name === name).map(score));
      return [name, mean(scores).toFixed(3)];
    }),
  );
}

function sizeOf({ findings }: Case): number {
  return [...findings.values()].reduce((sum, found) => sum + found.length, 0);
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : (part / whole).toFixed(4);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
