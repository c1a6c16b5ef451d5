/**
 * Consecutive completions with planted changes. One writes something the other does not, or only says the same in other
 * words, in another order, with other counters and repeated sentences. A seed always draws the same.
 */
import { HONEST } from '../../test/service/answer/paraphrases.ts';
import { PLANTED } from '../answers/facts.ts';
import { seeded } from '../posts.ts';

/** `isCited`: whether it has a citation, as all but introductions do. */
export type PlantedSentence = { text: string; isCited: boolean };
type PlantedChange = { before: PlantedSentence[]; after: PlantedSentence[]; changed: boolean };

/** Wordings of one fact. */
type Fact = readonly string[];

/** Facts that several people state in words of their own, and sources with their paraphrases by models. */
const FACTS: readonly Fact[] = [
  ...PLANTED.flatMap(({ facts }) => facts),
  ...[...new Set(HONEST.map(({ source }) => source))].map((source) => [
    source,
    ...HONEST.filter((told) => told.source === source).map(({ said }) => said),
  ]),
];
/** Facts that one person states. */
const SINGLE_FACTS: readonly Fact[] = PLANTED.flatMap(({ others }) => others.map((fact) => [fact]));

/** Sentences whose figures move all the time. */
const COUNTERS: readonly ((n: () => number) => string)[] = [
  (n) => `The thread about it has ${n()} replies and ${n()} points.`,
  (n) => `A video of it was viewed ${n()} times.`,
  (n) => `Somebody wrote ${n()} minutes ago that nothing has changed.`,
  (n) => `Der Beitrag im Forum hat ${n()} Antworten und ${n()} Aufrufe.`,
  (n) => `La publication compte ${n()} commentaires.`,
  (n) => `La nota tiene ${n()} me gusta desde las ${n() % 24}:${10 + (n() % 50)}.`,
  (n) => `Пост набрал ${n()} лайков.`,
  (n) => `この投稿には${n()}件の返信があります。`,
];

/** Sentences whose figure is the news. */
const FIGURES: readonly ((n: number) => string)[] = [
  (n) => `At least ${n} people died in the accident near the tunnel.`,
  (n) => `The council wants to close ${n} of its libraries.`,
  (n) => `A single ticket will cost ${n} crowns from next month.`,
  (n) => `Bei dem Brand wurden ${n} Menschen verletzt.`,
  (n) => `L'usine supprime ${n} emplois cette année.`,
  (n) => `El equipo local ganó por ${n} puntos de ventaja.`,
  (n) => `この地震で${n}人がけがをしました。`,
];

const INTRODUCTIONS = [
  'Here is what people are saying.',
  'These points stand out in the latest posts and articles.',
  'In short, the discussion is about the following.',
];

function createRandom(seed: number) {
  const next = seeded(Math.imul(seed + 1, 0x9e_37_79_b1));
  const below = (n: number) => Math.floor(next() * n);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T; // never empty
  const shuffle = <T>(values: readonly T[]): T[] =>
    values
      .map((value) => ({ value, by: next() }))
      .toSorted((a, b) => a.by - b.by)
      .map(({ value }) => value);
  return { below, chance: (share: number) => next() < share, pick, shuffle };
}
type Random = ReturnType<typeof createRandom>;

/**
 * @param base sentences of a completion that was written, for instance by the sandbox
 * @returns half of all seeds have changed
 */
export function plantChange(seed: number, base: readonly string[]): PlantedChange {
  const rng = createRandom(seed);
  const facts = rng.shuffle(FACTS);
  const said = facts.slice(0, rng.below(5) + 1);
  const figure = rng.pick(FIGURES);
  const n = rng.below(40) + 2;
  const hasFigure = rng.chance(0.4);
  const counters = rng.shuffle(COUNTERS).slice(0, rng.below(3));
  const opening = rng.chance(0.3);
  const stable = base.slice(0, rng.below(8) + 2);
  const common = (changedFigure: number) => [
    ...counters.map((write) => write(() => rng.below(900) + 2)),
    ...(hasFigure ? [figure(changedFigure)] : []),
    ...stable,
  ];
  const before = [
    ...(opening ? [rng.pick(INTRODUCTIONS)] : []),
    ...said.map((fact) => fact[0] ?? ''),
    ...common(n),
  ];
  const changed = rng.chance(0.5);
  const isOfFigure = hasFigure && rng.chance(0.4);
  const news = rng.pick([facts.slice(said.length), SINGLE_FACTS]);
  const added = changed && !isOfFigure ? rng.shuffle(news).slice(0, rng.below(2) + 1) : [];
  const after = varyWording(rng, said);
  return {
    changed,
    before: cite(before),
    after: cite(
      arrange(rng, [
        ...(opening ? [rng.pick(INTRODUCTIONS)] : []),
        ...after,
        ...added.map((fact) => rng.pick(fact)),
        ...common(changed && isOfFigure ? n * 2 + rng.below(9) : n),
      ]),
    ),
  };
}

function cite(sentences: readonly string[]): PlantedSentence[] {
  return sentences.map((text) => ({ text, isCited: !INTRODUCTIONS.includes(text) }));
}

/** Some facts are said in other words. */
function varyWording(rng: Random, facts: readonly Fact[]): string[] {
  return facts.map((fact) => (rng.chance(0.3) ? rng.pick(fact) : (fact[0] ?? '')));
}

/** Another order, repeated sentences, and one that is missing. */
function arrange(rng: Random, sentences: readonly string[]): string[] {
  const repeated = rng.chance(0.3) ? [rng.pick(sentences).replace(/\.$/, ' today.')] : [];
  const all = [...sentences, ...repeated];
  return rng.chance(0.5) ? rng.shuffle(all) : all;
}
