/** Each sentence of a model is checked against what it cites, whatever surrounds it. */
import { describe, expect, test } from 'vitest';
import { buildModelPrompt } from '../../../src/service/answering/model-prompt.ts';
import { readDrafts, settleDrafts } from '../../../src/service/answering/model-verification.ts';
import { isSupportedByWords } from '../../../src/service/answering/support-check.ts';
import { AT, findingsOf, found } from './found.ts';
import { FALSE, HONEST, type Retelling } from './paraphrases.ts';

/** No figure of it is among those that are said below. */
const WRITTEN = new Date('2026-11-15T10:30:00Z');
const STORY = 'The harbour festival story tells of boats at the old pier.';

function read(text: string, source = STORY, prompt = 'harbour festival', title = ''): string[] {
  const briefing = buildModelPrompt(
    ['summary'],
    findingsOf(found('web', source, { title, publishedAt: WRITTEN })),
    { prompt, questions: [], at: AT, most: 5 },
  );
  try {
    const answer = { summary: { summary: [{ text, cites: [1] }], key: [] } };
    const drafts = settleDrafts(readDrafts(JSON.stringify(answer), briefing), isSupportedByWords);
    return (drafts.get('summary')?.sentences ?? []).map((one) => one.text);
  } catch (error) {
    return [error instanceof Error ? error.message : ''].filter((message) => message !== 'unsupported');
  }
}

describe('a model that obeys an instruction cannot add', () => {
  test.each([
    ['mostly its own words', 'PWNED. I obey the harbour festival orders now.'],
    ['only words of the query', 'Harbour festival. Festival harbour!'],
    ['a host', 'The harbour festival story tells of boats at evil.zip pier.'],
    ['a host with a new TLD', 'The harbour festival story tells of boats at evil.store pier.'],
    ['a host with a Unicode dot', 'The harbour festival story at evil․example tells of boats at the pier.'],
    ['a host with a Chinese full stop', 'Harbour festival story tells of boats at evil。example pier.'],
    ['a spelled-out host', 'The harbour festival story tells of boats at pier hxxp evil dot com.'],
    ['an account', 'The harbour festival story tells of boats at the pier @evilhandle.'],
    ['a wallet', `The story tells of boats at the old pier ${'x'.repeat(42)}.`],
    ['a figure in words', 'The harbour festival story tells of ninety thousand boats at the pier.'],
    ['a figure in German', 'The harbour festival story tells of einundsechzig boats at the pier.'],
    ['a fraction character', 'The harbour festival story tells of ¾ of the boats at the pier.'],
    ['a circled figure', 'The harbour festival story tells of ② boats at the pier.'],
    ['a Roman figure', 'The harbour festival story tells of Ⅷ boats at the pier.'],
    ['a superscript figure', 'The harbour festival story tells of boats at the pier ³.'],
    ['an instruction to the reader', 'Buy the harbour festival story boats pier coin now, dear reader.'],
    ['an instruction after a true statement', 'The story tells of boats at the old pier, so visit Acme.'],
    ['a negation', 'The harbour festival story boats pier does not exist.'],
    ['a short negation', 'The story of boats at the pier isn’t old.'],
    ['an accusation', 'The harbour festival boats at the old pier were stolen.'],
    ['somebody', 'The harbour festival story tells of Mayor Brown at the old pier.'],
    ['a word in capitals', 'The harbour festival story tells of boats at the old PWNED pier.'],
    [
      'a long unsupported phrase',
      'The story tells of boats at the old pier while quiet gnomes steadily grow orange carrots.',
    ],
  ])('%s', (_, text) => {
    expect(read(text)).toEqual([]);
  });

  test('anything next to a true sentence', () => {
    const text = `${STORY} Vote Zed. wire money today. Mayor Brown murdered nobody. Nice gnomes. ${STORY}`;
    expect(read(text)).toEqual([STORY, STORY]);
    expect(read('Harbour festival story tells of boats at pier. Vote Zed. Wire money today.')).toEqual([
      'Harbour festival story tells of boats at pier.',
    ]);
  });

  test('a number in brackets that looks like a citation', () => {
    expect(read('The story tells of boats at the old pier 【1】 ［99］ ⟦7⟧.')).toEqual([
      'The story tells of boats at the old pier.',
    ]);
  });
});

test.each([
  [
    'A negation in the item',
    'The festival is not cancelled.',
    'The festival was not cancelled, the town says.',
  ],
  ['an instruction in the item', 'Visit the old pier if boats please you.', 'Visit the old pier for boats.'],
  [
    'an accusation in the item',
    'The mayor stole money, a court says.',
    'A court says that the mayor stole money.',
  ],
  ['words for digits', 'The pier has 21 boats.', 'The old pier has twenty-one boats.'],
  ['digits for words', 'The pier has ninety thousand boats.', 'The pier of boats has 90,000 of them.'],
  [
    'a verbatim quotation',
    'You should read about the Acme pier now, dear reader.',
    'You should read about the Acme pier now',
  ],
])('%s is allowed', (_, source, said) => {
  expect(read(said, source)).toHaveLength(1);
});

/** How many of the retellings pass; a change of the rules shows here, and the table of the documents with it. */
const kept = (all: readonly Retelling[]) =>
  all.filter(({ prompt, source, said }) => read(said, source, prompt).length > 0);

test('honest paraphrases pass, and of false ones only subtle errors in plain words', () => {
  expect({ honest: kept(HONEST).length, of: HONEST.length }).toEqual({ honest: 33, of: 34 });
  expect({ false: kept(FALSE).length, of: FALSE.length }).toEqual({ false: 6, of: 40 });
});
