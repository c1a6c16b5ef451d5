/** What is one story: near-equal texts, copies and near-misses, and chains of pairs in any order. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { hashFoldedText } from '../../src/model/folded-text.ts';
import {
  groupStories,
  limitFindable,
  MAX_CANDIDATES,
  nameItem,
  STORY_SPAN_MS,
  type StoryItem,
} from '../../src/model/stories.ts';
import { areNearEqual, measureSimilarity, sketchText } from '../../src/model/story-sketch.ts';
import { createDraw, deriveKey } from '../../src/service/sandbox/random.ts';
import { matchTopic, TOPICS } from '../../src/service/sandbox/built-in-topics.ts';
import { rewordCopy, writePostText, writeSentence } from '../../src/service/sandbox/simulated-text.ts';
import { STORY_PAIRS } from '../samples/story-pairs.ts';

/** Whether two texts alone make two posts one story. */
function areOneStory(left: string, right: string): boolean {
  const keys = [hashFoldedText(left), hashFoldedText(right)];
  if (keys[0] !== null && keys[0] === keys[1]) return true;
  const [one, other] = [sketchText(left), sketchText(right)];
  return one !== null && other !== null && areNearEqual(one, other);
}

type Judged = { same: boolean; joined: boolean };
function measure(judged: readonly Judged[]): { precision: number; recall: number } {
  const count = (which: (one: Judged) => boolean) => judged.filter(which).length;
  const right = count(({ same, joined }) => same && joined);
  return { precision: right / count(({ joined }) => joined), recall: right / count(({ same }) => same) };
}

describe('near-equal texts', () => {
  test('of the pairs that were judged by hand, at least nine of ten that are joined are one story, and the other way round', () => {
    const { precision, recall } = measure(
      STORY_PAIRS.map(({ same, left, right }) => ({ same, joined: areOneStory(left, right) })),
    );
    expect(new Set(STORY_PAIRS.map(({ lang }) => lang)).size).toBeGreaterThan(5);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });

  test('copies that the sandbox plants are joined, and its sentences about something else are not', () => {
    const draw = createDraw(deriveKey(matchTopic('stories', TOPICS[0]?.subject ?? '').key, 7));
    const judged: Judged[] = [];
    for (const topic of TOPICS)
      for (let n = 0; n < 60; n += 1) {
        const { text } = writePostText(draw, topic, { language: 'en', author: n }, 'original');
        if (hashFoldedText(text) !== null)
          judged.push({ same: true, joined: areOneStory(text, rewordCopy(draw, text)) });
        const [one, other] = [writeSentence(draw, topic, 'en'), writeSentence(draw, topic, 'en')];
        if (one !== other) judged.push({ same: false, joined: areOneStory(one, other) });
      }
    const { precision, recall } = measure(judged);
    expect(judged.length).toBeGreaterThan(200);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });

  test('a sketch depends on the text only, and a text is equal to itself', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 80 }), (text) => {
        const [one, other] = [sketchText(text), sketchText(` ${text.toUpperCase()} `)];
        expect(one).toEqual(other);
        if (one !== null) expect(measureSimilarity(one, one)).toBe(1);
      }),
    );
  });

  test.each(['', 'ok', '🎉🎉🎉', 'Good morning all', '#a #b #c', 'https://a.example/b'])(
    'a text that says nothing joins nothing: %s',
    (text) => {
      expect(sketchText(text)).toBeNull();
      expect(hashFoldedText(text)).toBeNull();
    },
  );
});

describe('names', () => {
  const named = (addresses: string[]) => nameItem({ topicId: 1n, keys: [], textKey: null, addresses });
  test.each([
    'https://news.example',
    'https://news.example/',
    'https://news.example/politics',
    'https://x.com/somebody',
  ])('a page that strangers link joins nothing: %s', (address) => {
    expect(named([address])).toEqual([]);
  });
  test.each([
    'https://news.example/2026/bridge',
    'https://news.example/council-closes-bridge',
    'https://news.example/?id=4',
  ])('an address of one thing joins: %s', (address) => {
    expect(named([address])).toHaveLength(1);
  });
  test('are names in one topic', () => {
    const keys = ['https://news.example/a/1'];
    const [one, other] = [1n, 2n].map((topicId) =>
      nameItem({ topicId, keys, textKey: null, addresses: keys }),
    );
    expect(one).toHaveLength(1);
    expect(one).not.toEqual(other);
  });
});

const item = (id: number, { at = 0, names = [] as bigint[], text = '' } = {}): StoryItem => ({
  id: BigInt(id),
  at: at * DAY,
  names,
  sketch: text === '' ? null : sketchText(text),
  story: null,
});
const listIds = (groups: ReturnType<typeof groupStories>) =>
  groups.map(({ id, members }) => [Number(id), members.map((one) => Number(one.id))]);

describe('stories', () => {
  test('items that nothing joins are in none, and a chain is one', () => {
    const items = [
      item(1, { names: [10n] }),
      item(2, { names: [11n] }),
      item(3, { names: [10n, 12n] }),
      item(4, { names: [12n] }),
    ];
    expect(listIds(groupStories(items))).toEqual([[1, [1, 3, 4]]]);
  });

  test('items further apart than 14 days are joined only by what is between them', () => {
    const [first, last] = [item(1, { names: [10n] }), item(3, { at: 20, names: [10n] })];
    expect(groupStories([first, last])).toEqual([]);
    const between = item(2, { at: 10, names: [10n] });
    expect(listIds(groupStories([first, between, last]))).toEqual([[1, [1, 2, 3]]]);
    expect(STORY_SPAN_MS).toBe(14 * DAY);
  });

  test('a merge keeps the id of the first member', () => {
    const known = [
      { ...item(5, { names: [10n] }), story: 2n },
      { ...item(6, { names: [11n] }), story: 3n },
    ];
    const [group] = groupStories([...known, item(9, { names: [10n, 11n] })]);
    expect(group).toMatchObject({ id: 2n, joined: [2n, 3n] });
  });

  const TEXTS = [
    'Council closes the old bridge for two years from January on',
    'Council closes the old bridge for two years from January on, says mayor',
    'Update: Council closes the old bridge for two years from January on',
    'The ferry to Lenn is late again and nobody knows why this time',
    'The ferry to Lenn is late again and nobody knows why',
    'Good morning',
  ];
  const arbitraryItems = fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 40 }),
      names: fc.array(fc.bigInt({ min: 1n, max: 8n }), { maxLength: 2 }),
      text: fc.constantFrom('', ...TEXTS),
    }),
    { maxLength: 25 },
  );

  test('are the same in any order, and in any batches', () => {
    fc.assert(
      fc.property(arbitraryItems, fc.integer({ min: 1, max: 6 }), fc.nat(), (drawn, size, seed) => {
        const items = drawn.map((each, i) => item(i + 1, each));
        const whole = listIds(groupStories(items));
        const shuffled = items.toSorted((a, b) => hashOf(a.id, seed) - hashOf(b.id, seed));
        expect(listIds(groupStories(shuffled))).toEqual(whole);
        // As the follower does it: each batch with all that is known, and the stories so far.
        const stories = new Map<bigint, bigint>();
        for (let from = 0; from < shuffled.length; from += size) {
          const known = shuffled
            .slice(0, from)
            .map((one) => ({ ...one, story: stories.get(one.id) ?? null }));
          for (const { id, members } of groupStories([...known, ...shuffled.slice(from, from + size)]))
            for (const member of members) stories.set(member.id, id);
        }
        const batched = whole.map(([id]) => [
          id,
          items.filter((one) => stories.get(one.id) === BigInt(Number(id))).map((one) => Number(one.id)),
        ]);
        expect(batched).toEqual(whole);
        expect([...stories.keys()].length).toBe(whole.flatMap(([, members]) => members).length);
      }),
    );
  });

  test('a name or a text of thousands is found by a bounded number of them', () => {
    const found = { names: new Map<bigint, number>(), bands: new Map<string, number>() };
    const { sketch } = item(1, { text: TEXTS[0] ?? '' });
    const limited = Array.from({ length: 3_000 }, () => limitFindable({ names: [7n], sketch }, found));
    expect(limited.filter(({ names }) => names.length > 0)).toHaveLength(MAX_CANDIDATES);
    expect(limited.filter((one) => one.sketch !== null)).toHaveLength(MAX_CANDIDATES);
  });
});

const hashOf = (id: bigint, seed: number) => Math.imul(Number(id) + seed, 2_654_435_761) >>> 0;
