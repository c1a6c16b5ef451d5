import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLogger } from '../../../src/platform/logger.ts';
import { createLanguageModel } from '../../../src/service/answering/language-model.ts';
import { writeCompletion } from '../../../src/service/answering/completion-writer.ts';
import type { Findings } from '../../../src/service/planning/retrieval.ts';
import {
  type FakeModel,
  honest,
  type Reaction,
  saying,
  type SeenQuestion,
  startFakeModel,
} from './fake-model.ts';
import { AT, findingsOf, found } from './found.ts';
import { addressesOf, claimsOf, TEXTS } from './read-citations.ts';

const API_KEY = 'sk-model-secret-1234';
const PROMPT = 'ferry to the islands';

const WEB = 'The ferry to the islands is cancelled until Monday because of the storm.';
const POST = 'Stuck on the island since 7 in the morning, no ferry in sight.';
const BOARD = 'Has anybody got a refund for the cancelled ferry of last week?';
const NEWS = 'The ferry line says that 1,250 passengers are waiting in port.';

let fake: FakeModel | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

function everything(): Findings {
  return findingsOf(
    found('web', WEB, { title: 'Storm stops ferry' }),
    found('microblog', POST),
    found('discussion_board', BOARD, { title: 'Refund' }),
    found('news_forum', NEWS, { title: 'Passengers wait' }),
  );
}

async function write(
  react: (question: SeenQuestion) => Reaction,
  {
    findings = everything(),
    budgetMs = 10_000,
    signal = new AbortController().signal,
    prompt = PROMPT,
    listening = true,
  } = {},
) {
  fake = await startFakeModel(react);
  const lines: string[] = [];
  const told: string[] = [];
  const written = await writeCompletion(findings, {
    prompt,
    at: AT,
    budgetMs,
    signal,
    // No secrets are named: what the log does not get it need not hide.
    log: createLogger('debug', [], { write: (line) => lines.push(line) }),
    model: createLanguageModel({ baseUrl: `${fake.baseUrl}/`, apiKey: API_KEY, model: 'small-1' }),
    ...(listening && { onText: (role) => told.push(role) }),
  });
  const warnings = lines.map((line) => JSON.parse(line) as Record<string, unknown>); // our own log
  return { ...written, warnings, lines, told, questions: fake.questions };
}

const quoted = (findings: Findings) =>
  writeCompletion(findings, {
    prompt: PROMPT,
    at: AT,
    budgetMs: 10_000,
    signal: new AbortController().signal,
    log: createLogger('silent'),
    model: undefined,
  });

const writing = (summary: object[], key: object[] = []) =>
  saying(JSON.stringify({ summary: { summary, key } }));

describe('a completion by a language model', () => {
  test('takes one request when time is short, and cites its input by number', async () => {
    const findings = everything();
    const { completion, links, writer, questions, told } = await write(
      (question) => saying(JSON.stringify(honest(question))),
      { findings },
    );
    expect(writer).toBe('model');
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({
      path: '/v1/chat/completions',
      authorization: `Bearer ${API_KEY}`,
      format: 'json_schema',
      temperature: 0.1,
    });
    expect(claimsOf(completion.summary)[0]?.cites[0]?.number).toBe(1);
    expect(claimsOf(completion.microblog_summary)).toMatchObject([
      { text: POST, cites: [{ url: findings.get('microblog')?.[0]?.link }] },
    ]);
    expect(addressesOf(completion)).toEqual(new Set(links));
    expect(told).toEqual(['microblog_summary', 'discussion_board_summary', 'news_forum_summary', 'summary']);
  });

  test('takes one request per part when there is time, and streams each part as soon as it is ready', async () => {
    const { completion, links, writer, questions, told } = await write(
      (question) => saying(JSON.stringify(honest(question))),
      { budgetMs: 30_000 },
    );
    expect(writer).toBe('model');
    expect(questions.map(({ roles }) => roles.join()).toSorted()).toEqual([
      'discussion_board_summary',
      'microblog_summary',
      'news_forum_summary',
      'summary',
    ]);
    expect(told.toSorted()).toEqual(questions.map(({ roles }) => roles.join()).toSorted());
    expect(completion.news_forum_summary).toContain('1,250 passengers');
    expect(addressesOf(completion)).toEqual(new Set(links));
    const board = questions.find(({ roles }) => roles.includes('discussion_board_summary'));
    expect(board?.items.map(({ kind }) => kind)).toEqual(['discussion_board']);
  });

  test('is the same without a listener', async () => {
    const { completion } = await write((question) => saying(JSON.stringify(honest(question))), {
      budgetMs: 30_000,
      listening: false,
    });
    for (const role of TEXTS) expect(claimsOf(completion[role])[0]?.cites).toHaveLength(1);
  });

  test('sends no address, no key, and at most 600 characters per item', async () => {
    const long = found('web', `${WEB} `.repeat(40), { title: 'Long' });
    const { questions } = await write((question) => saying(JSON.stringify(honest(question))), {
      findings: findingsOf(long, found('microblog', POST)),
    });
    const whole = `${questions[0]?.system}${questions[0]?.user}`;
    expect(whole).not.toMatch(/https?:|\.example|sk-model/);
    expect(Math.max(...(questions[0]?.items ?? []).map(({ text }) => text.length))).toBeLessThanOrEqual(600);
    expect(questions[0]?.system).toContain('at most 80 words');
  });

  test('is not requested when nothing was found', async () => {
    const { writer, questions } = await write(() => 'stall', { findings: new Map([['web', []]]) });
    expect({ writer, asked: questions.length }).toEqual({ writer: 'none', asked: 0 });
  });

  test('falls back to quotations for parts that the model left out', async () => {
    const { completion, writer, warnings } = await write(() => writing([{ text: WEB, cites: [1] }]));
    expect(writer).toBe('model');
    expect(completion.microblog_summary).toContain(POST);
    expect(completion.key_sources.length).toBe(1);
    expect(warnings).toMatchObject([
      { model: 'small-1', parts: ['microblog_summary', 'discussion_board_summary', 'news_forum_summary'] },
    ]);
  });
});

describe('model output is accepted', () => {
  const good = JSON.stringify({ summary: { summary: [{ text: WEB, cites: [1] }], key: [] } });
  test.each([
    ['from a code fence', `Here you are:\n\`\`\`json\n${good}\n\`\`\`\nI hope this helps {really}.`],
    ['with trailing commas', good.replace('}],"key":[]}}', '},],"key":[],},}')],
    ['after reasoning output', `<think>{"summary": is what they want}</think>${good}`],
    ['after another object', `{not json} ${good}`],
    ['with numbers as strings', good.replace('[1]', '["[1]"]')],
    ['with citations in the text', good.replace('storm.', 'storm [1].')],
  ])('%s', async (_, content) => {
    const { completion, writer } = await write(() => saying(content));
    expect(writer).toBe('model');
    expect(claimsOf(completion.summary)).toMatchObject([{ text: WEB, cites: [{ number: 1 }] }]);
  });

  test('in parts', async () => {
    fake = undefined;
    const { writer } = await write(() => saying(null, { content: [{ type: 'text', text: good }] }));
    expect(writer).toBe('model');
  });

  test('from a server without schema support, and later requests omit the schema', async () => {
    const model = await startFakeModel(({ format, roles, ...rest }) =>
      format === 'json_schema'
        ? { status: 400, body: '{}' }
        : saying(JSON.stringify(honest({ format, roles, ...rest }))),
    );
    const client = createLanguageModel({ baseUrl: model.baseUrl, apiKey: undefined, model: 'small-1' });
    const ask = () =>
      writeCompletion(everything(), {
        prompt: PROMPT,
        at: AT,
        budgetMs: 10_000,
        signal: new AbortController().signal,
        log: createLogger('silent'),
        model: client,
      });
    expect([(await ask()).writer, (await ask()).writer]).toEqual(['model', 'model']);
    expect(model.questions.map(({ format }) => format)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
    ]);
    expect(model.questions[0]?.authorization).toBeUndefined();
    await model.close();
  });
});

describe('sentences are dropped', () => {
  test.each([
    ['that cite nothing', { text: 'The ferry to the islands is cancelled.', cites: [] }],
    ['that cite unknown items', { text: 'The ferry to the islands is cancelled.', cites: [99, 0, -1] }],
    [
      'with a figure missing from the item',
      { text: 'The ferry to the islands is cancelled for 12 days.', cites: [1] },
    ],
    [
      'with a figure of another item',
      { text: 'The ferry to the islands left 1250 in the storm.', cites: [1] },
    ],
    [
      'that the item does not support',
      { text: 'The mayor resigned after a bitter quarrel about money.', cites: [1] },
    ],
    ['that are not sentences', { text: '', cites: [1] }],
    ['of an unexpected shape', { sentence: WEB, cites: 'all' }],
  ])('%s', async (_, bad) => {
    const { completion, writer } = await write(() => writing([bad, { text: WEB, cites: [1, 1, 77] }]));
    expect(writer).toBe('model');
    expect(claimsOf(completion.summary)).toMatchObject([{ text: WEB, cites: [{ number: 1 }] }]);
  });

  test('but not for a figure in another format', async () => {
    const text = 'In port 1250 passengers are waiting for the ferry.';
    const { completion } = await write(({ items }) =>
      writing([{ text, cites: [items.find(({ kind }) => kind === 'news_forum')?.id] }]),
    );
    expect(completion.summary).toContain(text);
  });

  test('from a group if they cite another group', async () => {
    const { completion } = await write(({ items }) => {
      const web = items.find(({ kind }) => kind === 'web')?.id;
      const part = {
        summary: [{ text: WEB, cites: [web] }],
        key: [{ cite: web, text: 'Storm stops ferry' }],
      };
      return saying(JSON.stringify({ summary: part, microblog_summary: part }));
    });
    expect(completion.microblog_summary).not.toContain(WEB);
    expect(completion.key_microblog_posts.map(({ text }) => text)).toEqual([POST]);
    expect(completion.key_sources).toMatchObject([{ text: 'Storm stops ferry' }]);
  });
});

describe('falls back to quotations and logs the reason', () => {
  const huge = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(600_000) } }] });
  test.each<[string, Reaction, object]>([
    ['garbage', saying('I would rather not answer in JSON.'), { reason: 'not_json' }],
    ['output that is not JSON', { status: 200, body: '<html>' }, { reason: 'unreadable' }],
    ['an error', { status: 500, body: 'sk-model-secret-1234 is wrong' }, { reason: 'status', status: 500 }],
    ['a wrong key', { status: 401, body: API_KEY }, { reason: 'status', status: 401 }],
    [
      'a model that refuses every request format',
      { status: 400, body: '{}' },
      { reason: 'status', status: 400 },
    ],
    ['elsewhere', { status: 302, body: '' }, { reason: 'status', status: 302 }],
    ['an oversized response', { status: 200, body: huge }, { reason: 'too_large' }],
    ['no choices', { status: 200, body: '{"choices":[]}' }, { reason: 'empty' }],
    ['nothing', saying(null), { reason: 'empty' }],
    ['a refusal', saying(null, { refusal: 'I cannot help with that.' }), { reason: 'refused' }],
    ['only empty parts', saying('{"summary":{"summary":[],"key":[]}}'), { reason: 'unsupported' }],
  ])('for %s', async (_, reaction, why) => {
    const findings = everything();
    const { completion, links, writer, warnings, lines } = await write(() => reaction, { findings });
    const expected = await quoted(findings);
    expect({ completion, links, writer, warnings: [] }).toEqual(expected);
    expect(warnings).toMatchObject([
      { level: 'warn', msg: 'language model output unusable', model: 'small-1', ...why },
    ]);
    expect(lines.join('')).not.toContain(API_KEY);
    expect(lines.join('')).not.toContain('127.0.0.1');
  });

  test.each(['stall', 'drip'] as const)('for no response (%s), within the time budget', async (reaction) => {
    const findings = everything();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const budgetMs = 1_000;
    const { completion, writer, warnings } = await write(() => reaction, { findings, budgetMs });
    // The limit of the model, which leaves 300 ms to write without it; others may set timers meanwhile.
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(budgetMs - 300);
    timers.mockRestore();
    expect(writer).toBe('extractive');
    expect(completion).toEqual((await quoted(findings)).completion);
    expect(warnings).toMatchObject([{ reason: 'time' }]);
  });

  test('for an address without a listener', async () => {
    const findings = everything();
    const closed = await startFakeModel(() => 'stall');
    await closed.close();
    const lines: string[] = [];
    const { writer } = await writeCompletion(findings, {
      prompt: PROMPT,
      at: AT,
      budgetMs: 5_000,
      signal: new AbortController().signal,
      log: createLogger('debug', [], { write: (line) => lines.push(line) }),
      model: createLanguageModel({ baseUrl: closed.baseUrl, apiKey: API_KEY, model: 'small-1' }),
    });
    expect(writer).toBe('extractive');
    expect(lines.join('')).toContain('no_answer');
  });

  test('without a request when there is no time for a response', async () => {
    const { writer, questions } = await write(() => 'stall', { budgetMs: 400 });
    expect({ writer, asked: questions.length }).toEqual({ writer: 'extractive', asked: 0 });
  });

  test('but not for a disconnected client, which gets nothing, immediately', async () => {
    const gone = new AbortController();
    await expect(
      write(
        () => {
          gone.abort(new Error('gone'));
          return 'stall';
        },
        { signal: gone.signal },
      ),
    ).rejects.toThrow('gone');
  });
});
