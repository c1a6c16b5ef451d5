/** Planning by a language model: it may add queries, and whatever it returns, the user's own wording is sent. */
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { DAY } from '../../../src/lib/time.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { createLanguageModel } from '../../../src/service/answering/language-model.ts';
import { createPlanner, type PlanRequest } from '../../../src/service/planning/model-plan.ts';
import { toPlainQuery } from '../../../src/service/planning/plain-query.ts';
import type { SourceQuery } from '../../../src/service/sources/search-source.ts';
import {
  type FakeModel,
  type Reaction,
  saying,
  type SeenQuestion,
  startFakeModel,
} from '../answer/fake-model.ts';
import { HABITS, SILENT_HABITS } from '../answer/model-habits.ts';
import { NOON, startForTest } from '../running.ts';
import { foundItem, stubSource } from '../stub-source.ts';

const PROMPT = 'What does tidal power cost, and why is it not used more?';
const at = new Date(NOON);
const YEAR = { from: new Date(at.getTime() - 365 * DAY), to: at };
const never = new AbortController().signal;
const GOOD = {
  questions: ['What does tidal power cost?', 'Why is tidal power not used more?'],
  queries: [
    { source: 'web', words: 'tidal power price per MWh – Kosten', language: 'en', days: null },
    { source: 'microblog', words: 'tidal energy expensive', language: 'en', days: 7 },
  ],
};

let fake: FakeModel | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

async function plan(react: (question: SeenQuestion) => Reaction, more: Partial<PlanRequest> = {}) {
  fake = await startFakeModel(react);
  const lines: string[] = [];
  const model = createLanguageModel({
    baseUrl: fake.baseUrl,
    apiKey: 'sk-model-secret-1234',
    model: 'small-1',
  });
  const planner = createPlanner(model, createLogger('debug', [], { write: (line) => lines.push(line) }));
  const request: PlanRequest = {
    prompt: PROMPT,
    sources: ['web', 'microblog'],
    perSource: 2,
    window: YEAR,
    at,
    limitMs: 20_000,
    ...more,
  };
  const planned = await planner(request, never);
  return { ...planned, planner, request, model, lines, questions: fake.questions };
}

const wordsOf = ({ wordings }: Awaited<ReturnType<typeof plan>>) =>
  Object.fromEntries(Array.from(wordings, ([source, list]) => [source, list.map(({ prompt }) => prompt)]));
const reply = (...queries: object[]) => saying(JSON.stringify({ questions: [], queries }));

describe('a plan', () => {
  test('has a query for each source, in a language and a period', async () => {
    const planned = await plan(() => saying(JSON.stringify(GOOD)));
    expect(planned.questions).toHaveLength(1);
    const { system, user, purpose, roles } = planned.questions[0] ?? { roles: [] };
    expect({ purpose, roles, user }).toEqual({
      purpose: 'plan',
      roles: ['web', 'microblog'],
      user: `The query: ${JSON.stringify(PROMPT)}`,
    });
    expect(system).toContain('Today is 2026-11-21 (UTC)');
    expect(wordsOf(planned)).toEqual({
      web: ['tidal power price per MWh Kosten'],
      microblog: ['tidal energy expensive'],
    });
    const [web] = planned.wordings.get('web') ?? [];
    expect(web).toMatchObject({ language: 'en', keywords: expect.arrayContaining(['price']) });
    expect(web).not.toHaveProperty('from');
    expect(planned.wordings.get('microblog')?.[0]?.from).toEqual(new Date(at.getTime() - 7 * DAY));
    expect(planned.warnings).toEqual([]);
    expect(planned.report).toMatchObject({ why: null, questions: GOOD.questions, left_out: 0 });
    expect(planned.report.queries[1]).toEqual({
      tool: 'Microblog Search',
      words: 'tidal energy expensive',
      language: 'en',
      days: 7,
    });
  });

  test('is asked for once a day', async () => {
    const first = await plan(() => saying(JSON.stringify(GOOD)));
    const again = await first.planner(first.request, never);
    expect(again.report.ms).toBe(0);
    expect([...again.wordings]).toEqual([...first.wordings]);
    expect(first.questions).toHaveLength(1);
    await first.planner({ ...first.request, at: new Date(at.getTime() + DAY) }, never);
    expect(first.questions).toHaveLength(2);
  });

  test('remembers which parameters a server refuses', async () => {
    const planned = await plan(({ temperature }) =>
      temperature === undefined
        ? saying(JSON.stringify(GOOD))
        : { status: 400, body: '{"error":{"message":"temperature is not supported"}}' },
    );
    await planned.planner({ ...planned.request, prompt: 'another one' }, never);
    expect(planned.questions.map(({ format, temperature }) => [format, temperature])).toEqual([
      ['json_schema', 0.1],
      ['json_schema', undefined],
      ['json_schema', undefined],
    ]);
  });
});

describe('a model that', () => {
  test.each(HABITS)('$name', async ({ react, works }) => {
    const planned = await plan((question) => react(JSON.stringify(GOOD), question));
    expect(planned.questions.length).toBeLessThanOrEqual(4);
    expect([...planned.wordings.keys()]).toEqual(works ? ['web', 'microblog'] : []);
    expect(planned.warnings).toEqual(
      works
        ? []
        : [
            {
              code: 'planned_without_model',
              tool: '',
              message: expect.stringMatching(
                /^the language model .+, so that queries were planned without it$/,
              ),
            },
          ],
    );
    expect(`${planned.lines.join('')}${JSON.stringify(planned.warnings)}`).not.toMatch(/sk-model|127\.0/);
  });

  test.each(SILENT_HABITS)('%s', async (_, reaction) => {
    const planned = await plan(() => reaction, { limitMs: 50 });
    expect(planned.report.why).toBe('did not respond within 0.05 s');
    expect(planned.wordings.size).toBe(0);
  });
});

describe('of what a model plans, only this is used:', () => {
  test.each<[string, object[], string[]]>([
    [
      'sources of the request',
      [
        { source: 'video', words: 'a b' },
        { source: 'web', words: 'tidal price' },
      ],
      ['tidal price'],
    ],
    [
      'as many as are allowed',
      ['one', 'two', 'three'].map((words) => ({ source: 'web', words })),
      ['one', 'two'],
    ],
    [
      'different ones',
      ['tidal cost', 'Tidal COST', 'lagoon'].map((words) => ({ source: 'web', words })),
      ['tidal cost', 'lagoon'],
    ],
    [
      'other words than the user’s',
      [
        { source: 'web', words: `${PROMPT.toLowerCase()}!` },
        { source: 'web', words: 'lagoon' },
      ],
      ['lagoon'],
    ],
    [
      'texts',
      [
        { source: 'web', words: 7 },
        { source: 'web', words: ['a'] },
        { source: 'web', words: 'lagoon' },
      ],
      ['lagoon'],
    ],
    [
      'short ones',
      [
        { source: 'web', words: 'x '.repeat(300) },
        { source: 'web', words: 'lagoon' },
      ],
      ['lagoon'],
    ],
    [
      'words',
      [
        { source: 'web', words: '"" () -- :' },
        { source: 'web', words: 'lagoon' },
      ],
      ['lagoon'],
    ],
    ['another script', [{ source: 'web', words: '潮汐発電 コスト', language: 'ja' }], ['潮汐発電 コスト']],
  ])('%s', async (_, queries, expected) => {
    const planned = await plan(() => reply(...queries));
    expect(wordsOf(planned)['web']).toEqual(expected);
    expect(planned.report.left_out).toBe(queries.length - expected.length);
  });

  test.each<[unknown, number | null]>([
    [7, 7],
    [365, null],
    [4_000, null],
    [0, null],
    [-3, null],
    [1.5, null],
    ['7', null],
    [1e300, null],
  ])('a period that is shorter: %s days', async (days, expected) => {
    const planned = await plan(() => reply({ source: 'web', words: 'lagoon', days }));
    const from = expected === null ? undefined : new Date(at.getTime() - expected * DAY);
    expect(planned.wordings.get('web')?.[0]?.from).toEqual(from);
  });

  test.each([
    ['de-AT', 'de'],
    ['EN', 'en'],
    ['English', null],
    ['zz', null],
    ['en.evil.example/', 'en'],
    [null, null],
  ])('a language that exists: %s', async (language, expected) => {
    const planned = await plan(() => reply({ source: 'web', words: 'lagoon', language }));
    expect(planned.report.queries[0]?.language).toBe(expected);
  });

  test('questions in one line without markup, at most five', async () => {
    const questions = [
      '# What? <b>x</b> [y](https://evil.example)',
      'a'.repeat(300),
      3,
      '…',
      'b',
      'c',
      'd',
      'e',
      'f',
    ];
    const planned = await plan(() => saying(JSON.stringify({ ...GOOD, questions })));
    expect(planned.report.questions).toEqual(['What? b x b y https evil.example', 'b', 'c', 'd', 'e']);
  });

  test('a plan of a length that a plan can have', async () => {
    const planned = await plan(() => saying(JSON.stringify({ ...GOOD, note: 'x'.repeat(25_000) })));
    expect(planned.report.why).toBe('returned a plan that is too long');
  });
});

test.each([
  ['site:evil.example tidal', 'tidal'],
  ['tidal -wind', 'tidal'],
  ['tidal -"wind power" cost', 'tidal cost'],
  ['tidal NOT wind', 'tidal'],
  ['tidal AND (cost OR price)', 'tidal cost price'],
  ['"tidal power"~3 cost*', 'tidal power 3 cost'],
  ['intitle:tidal lang:de power', 'power'],
  ['user:me all:tidal ti:x power', 'power'],
  ['#tidal @somebody', 'tidal somebody'],
  ['!images tidal', 'tidal'],
  ['https://evil.example/?q=1 tidal', 'tidal'],
  ['tidal\nHost: evil', 'tidal Host evil'],
  ['node.js vs C++ covid-19', 'node.js vs C++ covid-19'],
  ['coûts de l’énergie', 'coûts de l’énergie'],
])('the query %j is sent as %j', (text, sent) => {
  expect(toPlainQuery(text)).toBe(sent);
});

describe('an answer', () => {
  const asked: Pick<SourceQuery, 'prompt' | 'from'>[] = [];
  async function ask(react: (question: SeenQuestion) => Reaction, more: object = {}) {
    fake = await startFakeModel(react);
    asked.length = 0;
    const service = await startForTest({
      sources: [
        stubSource('web', async (query) => {
          asked.push(query);
          return [foundItem(`https://a.example/${query.prompt.length}`)];
        }),
      ],
      model: createLanguageModel({ baseUrl: fake.baseUrl, apiKey: undefined, model: 'small-1' }),
    });
    onTestFinished(() => service.close());
    const body = { prompt: PROMPT, tools: ['Web Search'], model: 'ORBIT', date_filter: 'PAST_YEAR', ...more };
    const response = await service.post('/search/ai/search', body, { 'x-plan': 'true' });
    return (await response.json()) as { warnings?: object[]; plan: { by_model?: object } }; // of our own service
  }
  const planning =
    (content: string): ((question: SeenQuestion) => Reaction) =>
    ({ system }) =>
      system.startsWith('You plan') ? saying(content) : { status: 500, body: '' };

  test('has what the user asked and what the model planned, and shows the plan', async () => {
    const { plan: shown, warnings } = await ask(planning(JSON.stringify(GOOD)));
    expect(asked.map(({ prompt }) => prompt)).toEqual([PROMPT, 'tidal power price per MWh Kosten']);
    expect(shown.by_model).toMatchObject({ why: null, questions: GOOD.questions, left_out: 1 });
    expect(JSON.stringify(warnings ?? [])).not.toContain('planned_without_model');
  });

  test('is planned without the model if that fails, and says so', async () => {
    const { plan: shown, warnings } = await ask(planning('certainly!'));
    expect(asked[0]?.prompt).toBe(PROMPT);
    expect(asked).toHaveLength(2);
    expect(warnings).toContainEqual({
      code: 'planned_without_model',
      tool: '',
      message: 'the language model returned no plan in JSON, so that queries were planned without it',
    });
    expect(shown.by_model).toMatchObject({ why: 'returned no plan in JSON', queries: [] });
  });

  test('of NOVA is not planned by a model, which has no time for it', async () => {
    const { plan: shown } = await ask(planning(JSON.stringify(GOOD)), { model: 'NOVA' });
    expect(asked.map(({ prompt }) => prompt)).toEqual([PROMPT]);
    expect(shown).not.toHaveProperty('by_model');
  });
});
