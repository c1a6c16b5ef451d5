/** What stands between results and writing: counters are no text, sentences keep their order, and what is off the subject stays out. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLAIM_ROLES } from '../../../src/model/enumerations.ts';
import { runToEnd } from '../../../src/lib/cooperative.ts';
import { createCitationResolver, parseStatements } from '../../../src/monitor/parse/parse-statements.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { writeCompletion } from '../../../src/service/answering/completion-writer.ts';
import { type Findings, retrieveFindings } from '../../../src/service/planning/retrieval.ts';
import { createSandboxSources } from '../../../src/service/sandbox/sandbox-sources.ts';
import { hackerNews } from '../../../src/service/sources/providers/hacker-news.ts';
import type { FoundItem } from '../../../src/service/sources/search-source.ts';
import { json, NOW, startAdapter } from '../sources/provider.ts';
import { AT, findingsOf, found } from './found.ts';
import { claimsOf, TEXTS } from './read-citations.ts';

const log = createLogger('silent');
const never = new AbortController().signal;

async function write(findings: Findings, prompt: string) {
  const options = { prompt, at: AT, budgetMs: 10_000, signal: never, log, model: undefined };
  return (await writeCompletion(findings, options)).completion;
}

/** As the monitor reads a completion. */
function readStatements(completion: Awaited<ReturnType<typeof write>>) {
  const toCitation = runToEnd(createCitationResolver({ links: [], posts: [], nestedPosts: [] }));
  return runToEnd(parseStatements({ ...completion, text_chunks: [] }, toCitation));
}

describe('two responses about the same stories', () => {
  const SUBJECTS = ['compiler', 'startup', 'packages', 'plots', 'threads', 'macros', 'arrays', 'notebooks'];
  const stories = (points: number, comments: number) =>
    json({
      hits: SUBJECTS.map((subject, n) => ({
        objectID: String(41_000_000 + n),
        created_at_i: NOW.getTime() / 1_000 - 3_600 * (n + 1),
        title: `Julia 1.${n} changes its ${subject}`,
        url: `https://${subject}.example/julia`,
        story_text:
          n % 3 === 0 ? `<p>I compared the ${subject} of Julia 1.${n} with the last.<p>It is better.` : null,
        points: ((n * 37) % 101) + points,
        num_comments: ((n * 11) % 29) + comments,
      })),
    });

  /** @param later in hours */
  async function read(points: number, comments: number, later: number) {
    const { find } = await startAdapter((at) => hackerNews({ at }), stories(points, comments));
    const list = await find();
    const at = new Date(NOW.getTime() + later * 3_600_000);
    const source = { name: 'hn', source: 'news_forum', state: 'live', find: async () => list } as const;
    const request = {
      prompt: 'julia',
      selected: ['news_forum'],
      model: 'NOVA',
      dateFilter: 'PAST_WEEK',
    } as const;
    const { findings } = await retrieveFindings({ sources: [source], log }, { ...request, at }, never);
    return { list, completion: await write(findings, 'julia') };
  }

  test('whose counters moved in a few hours say the same, and no counter', async () => {
    const [before, after] = [await read(0, 0, 0), await read(2_280, 498, 5)];
    expect(before.list.map(({ engagement }) => engagement)).not.toEqual(
      after.list.map(({ engagement }) => engagement),
    );
    expect(after.completion).toEqual(before.completion);
    const statements = readStatements(before.completion);
    expect(statements.length).toBeGreaterThanOrEqual(8);
    expect(JSON.stringify([before.completion, before.list])).not.toMatch(/\d+ (?:points|comments)/);
  });

  test('say the same, whatever is counted and whatever was returned', async () => {
    const word = fc.constantFrom(
      'ferry',
      'island',
      'storm',
      'harbour',
      'quay',
      'late',
      'the',
      'again',
      'Monday',
    );
    const COUNTED = ['news_forum', 'microblog', 'discussion_board', 'video'] as const;
    const story = fc.record({
      source: fc.constantFrom(...COUNTED),
      title: fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
      snippet: fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
      hours: fc.integer({ min: 0, max: 100 }),
      counted: fc.tuple(fc.nat(100_000), fc.nat(100_000)),
    });
    const prompts = fc.constantFrom(
      'island ferry',
      'Is the ferry late?',
      'Why is the island ferry late again?',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(story, { maxLength: 25 }), prompts, async (all, prompt) => {
        const run = async (which: 0 | 1) => {
          const list = all.map(
            ({ hours, counted, ...text }, n): FoundItem => ({
              ...text,
              link: `https://forum.example/${n}`,
              summaryDescription: '',
              publishedAt: new Date(AT.getTime() - hours * 3_600_000),
              engagement: counted[which],
            }),
          );
          const sources = COUNTED.map((source) => ({
            name: source,
            source,
            state: 'live' as const,
            find: async () => list.filter((item) => item.source === source),
          }));
          const request = { prompt, selected: COUNTED, model: 'ORBIT' } as const;
          const asked = { ...request, dateFilter: 'PAST_WEEK', at: AT } as const;
          const { findings } = await retrieveFindings({ sources, log }, asked, never);
          return write(findings, prompt);
        };
        expect(await run(1)).toEqual(await run(0));
      }),
      { numRuns: 60 },
    );
  });
});

test('the monitor reads exactly the sentences that were written, each with its citation', async () => {
  const sources = createSandboxSources('agreement');
  const titles = [
    'Who pays for the lighthouse now',
    'Lighthouse (1911) reopens | Post',
    'The lighthouse of Dr. Holm, Inc.',
    '灯台 lighthouse は百年前から海を見ています',
    'A lighthouse, they say, “will not close”',
  ];
  for (const prompt of ['lighthouse', 'tidal power', 'harbour festival', '夜行列車']) {
    const request = {
      prompt,
      selected: ['web', 'news_forum', 'discussion_board', 'microblog', 'video'],
      at: AT,
    } as const;
    const asked = { ...request, model: 'ORBIT', dateFilter: 'PAST_WEEK' } as const;
    const { findings } = await retrieveFindings({ sources, log }, asked, never);
    const hard = titles.map((title) => found('preprint', '', { title }));
    const completion = await write(new Map([...findings, ['preprint', hard]]), prompt);
    const statements = readStatements(completion);
    for (const role of TEXTS) {
      const written = claimsOf(completion[role]).filter(({ cites }) => cites.length > 0);
      const parsed = statements.filter((statement) => statement.role === role);
      expect(CLAIM_ROLES).toContain(role);
      expect(parsed.filter(({ citations }) => citations.length > 0).map(({ text }) => text)).toEqual([
        ...new Set(written.map(({ text }) => text)),
      ]);
      for (const { text, cites } of written) {
        expect(text).toMatch(/[.!?。！？]["'”’»)\]」』）]*$/u);
        expect(cites).toHaveLength(1);
      }
    }
  }
});

const ABSTRACT = [
  'We describe rational models of the surfaces over every field.',
  'We do so by splitting the surfaces into two families.',
  'The rational points of each family are then counted.',
];

describe('the sentences of a summary', () => {
  test('of one item keep their order, also if a later one says more about the query', async () => {
    const text = ABSTRACT.join(' ');
    const completion = await write(findingsOf(found('preprint', text)), 'rational points of surfaces');
    expect(claimsOf(completion.summary).map(({ text: said }) => said)).toEqual(ABSTRACT);
  });

  test('are those of the best places, whatever is said more often further down', async () => {
    const best = found('microblog', 'The island ferry sinks at the pier of the old town.', { place: 1 });
    const others = Array.from({ length: 20 }, (_, n) =>
      found('microblog', `People number ${n} wait for the ferry in rain, hail and a lot of wind.`, {
        place: n + 2,
      }),
    );
    const completion = await write(findingsOf(...others, best), 'island ferry');
    expect(completion.key_microblog_posts[0]?.url).toBe(best.link);
    expect(completion.summary).toContain(best.link);
  });

  test('are about the query, and there are none if nothing is', async () => {
    const about = [
      found('web', 'The island ferry is cancelled until Monday. I love my new shoes so much.'),
      found('web', 'No ferry sails to any island before Monday. The museum shop sells postcards.'),
    ];
    const off = [
      found('web', 'The trial is a watershed moment for many people.', { title: 'A trial of our time' }),
      found('web', 'He is just as ignorant as all the others here.'),
    ];
    const { summary, key_sources } = await write(
      findingsOf(...off, ...about),
      'What about the island ferry?',
    );
    expect(claimsOf(summary).map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'The island ferry is cancelled until Monday.',
        'No ferry sails to any island before Monday.',
      ]),
    );
    expect(claimsOf(summary)).toHaveLength(2);
    expect(key_sources).toHaveLength(2);
    const nothing = await write(findingsOf(...off), 'What about the island ferry?');
    expect(nothing).toMatchObject({
      summary: 'No answer in these sources; asked: “What about the island ferry”; found: web pages.',
      key_sources: [],
    });
  });

  test.each([
    ['forms of a word', 'surfing elections', 'Surfers wait for the election of a wave king.'],
    ['a part of a tag', 'harbour', 'Rain all day long, thanks #HarbourFestival for coming.'],
    ['a tag at the end', 'fest of the quay', 'Rain all day long, nobody came.', ' #rain #QuayFest'],
    ['forms of an inflected language', 'выборы в Польше', 'Итоги выборов в Польше объявлены вечером.'],
    ['a shorter form', 'Wahlen', 'Die Wahl in Bayern wurde am Sonntag wiederholt.'],
    ['a form with an accent', 'elecciones', 'La elección se celebra el domingo en todo el país.'],
    ['a word with a particle', '투표', '일요일에 전국에서 투표가 모두 실시되었습니다.'],
    ['a script without spaces', '夜行列車', '新しい夜行列車が走ります。'],
  ])('are about the query by %s', async (_, prompt, text, tags = '') => {
    const completion = await write(findingsOf(found('microblog', text + tags)), prompt);
    expect(claimsOf(completion.summary)[0]?.text).toBe(text);
  });
});

test('a similar word counts only if no form of the word itself occurs', async () => {
  const items = findingsOf(
    found('web', 'The police were at the quay all night.'),
    found('web', 'A new parking policy starts on Monday.'),
  );
  const { summary } = await write(items, 'parking policy');
  expect(claimsOf(summary).map(({ text }) => text)).toEqual(['A new parking policy starts on Monday.']);
});

test.each([
  ['a headline without a text', '', 'Island ferry runs again', 'Title: Island ferry runs again.'],
  [
    'a headline with counters as text',
    '107 points, 53 comments.',
    'Island ferry runs again',
    'Title: Island ferry runs again.',
  ],
  [
    'a headline that says more than the text',
    'The pier is full of people.',
    'Island ferry runs again!',
    'Title: Island ferry runs again!',
  ],
  [
    'a text that says as much',
    'The island ferry runs again.',
    'Island ferry',
    'The island ferry runs again.',
  ],
  [
    'the unchanged part of a reply',
    '@tove @holm The island ferry runs again',
    'Ferry',
    'The island ferry runs again.',
  ],
])('%s is quoted', async (_, snippet, title, expected) => {
  const completion = await write(findingsOf(found('discussion_board', snippet, { title })), 'island ferry');
  expect(claimsOf(completion.summary).map(({ text }) => text)).toEqual([expected]);
  expect(completion.key_posts.map(({ text }) => text)).toEqual([title]);
});

test.each([
  [
    'Two ferries sail to the island. The first ferry left at nine',
    ['Two ferries sail to the island.', 'The first ferry left at nine.'],
  ],
  ['Two ferries sail to the island. Wow!', []],
])(
  'each sentence of a title is quoted in its order, if all of them say something: %s',
  async (title, expected) => {
    const completion = await write(findingsOf(found('discussion_board', '', { title })), 'island ferries');
    const quoted = expected.filter((sentence) => completion.summary.includes(`${sentence} [1](`));
    expect([quoted, completion.key_posts.map(({ text }) => text)]).toEqual([expected, [title]]);
    expect(completion.summary.indexOf('Two')).toBe(expected.length === 0 ? -1 : 'Title: '.length);
  },
);

test('a title that is cut names its item, but is no sentence', async () => {
  const item = found('web', 'The rest is elsewhere', { title: 'All about the island ferry and its ...' });
  const completion = await write(findingsOf(item), 'island ferry');
  expect(completion.key_sources).toEqual([{ text: item.title, url: item.link }]);
  expect(completion.summary).toBe('No answer in these sources; asked: “island ferry”; found: web pages.');
});
