/**
 * How language models and their servers respond, beside the response that was asked for: recorded habits, each made of the content
 * that the stand-in would send.
 */
import { gzipSync } from 'node:zlib';
import { type Reaction, saying, type SeenQuestion } from './fake-model.ts';

export type Habit = {
  name: string;
  /** Whether its response is used; if not, everything is as without a model. */
  works: boolean;
  react: (content: string, question: SeenQuestion) => Reaction;
};

const refusing = (parameter: string, status = 400): Reaction => ({
  status,
  body: JSON.stringify({ error: { message: `Unsupported parameter: '${parameter}'`, param: parameter } }),
});
const page = '<!doctype html><html><title>502 Bad Gateway</title><h1>Bad Gateway</h1></html>';
const whole = (message: object, finish_reason = 'stop') =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, finish_reason, message }] });

const USED: readonly [string, Habit['react']][] = [
  ['answers as asked', (content) => saying(content)],
  [
    'knows no schema',
    (content, { format }) => (format === 'json_schema' ? refusing('response_format') : saying(content)),
  ],
  [
    'knows no format',
    (content, { format }) => (format === undefined ? saying(content) : refusing('response_format')),
  ],
  [
    'knows no format, and does not say which parameter',
    (content, { format }) => (format === undefined ? saying(content) : { status: 400, body: 'Bad Request' }),
  ],
  [
    'allows no temperature',
    (content, { temperature }) => (temperature === undefined ? saying(content) : refusing('temperature')),
  ],
  [
    'allows neither, one after the other',
    (content, { format, temperature }) => {
      if (temperature !== undefined) return refusing('temperature');
      return format === undefined ? saying(content) : refusing('response_format', 422);
    },
  ],
  [
    'refuses with 422',
    (content, { format }) => (format === 'json_schema' ? refusing('json_schema', 422) : saying(content)),
  ],
  ['talks before and after', (content) => saying(`Sure! Here it is:\n${content}\nAnything else?`)],
  ['fences', (content) => saying(`\`\`\`json\n${content}\n\`\`\``)],
  ['fences without a language', (content) => saying(`\`\`\`\n${content}\n\`\`\`\n`)],
  ['leaves trailing commas', (content) => saying(content.replace(/\]\}$/, '],}').replace(/\}\]/g, '},]'))],
  ['thinks aloud', (content) => saying(`<think>They want {"queries": 1}.</think>\n${content}`)],
  ['thinks in another tag', (content) => saying(`<thinking>{}</thinking>${content}`)],
  ['only ends its thinking', (content) => saying(`They want JSON. {"a": 1} </think>\n\n${content}`)],
  [
    'has a member for its reasoning',
    (content) => ({ status: 200, body: whole({ role: 'assistant', reasoning_content: '{}', content }) }),
  ],
  ['answers in parts', (content) => saying(null, { content: [{ type: 'text', text: content }] })],
  ['wraps it', (content) => saying(`{"result":${content}}`)],
  ['puts it into a list', (content) => saying(`[${content}]`)],
  ['sends another object first', (content) => saying(`{"thought":"first"} ${content}`)],
  ['adds members', (content) => saying(content.replace(/^\{/, '{"note":"mine","confidence":0.9,'))],
  ['escapes every letter that is not ASCII', (content) => saying(escapeAll(content))],
  ['indents with tabs and CRLF', (content) => saying(indent(content))],
  ['begins with a byte order mark', (content) => saying(`\uFEFF${content}`)],
  [
    'begins its body with a byte order mark',
    (content) => ({ status: 200, body: `\uFEFF${whole({ content })}` }),
  ],
  ['says that it is text', (content) => typed(content, 'text/plain')],
  ['says that it is HTML', (content) => typed(content, 'text/html; charset=iso-8859-1')],
  ['says that it is a stream', (content) => typed(content, 'text/event-stream')],
];

const UNUSED: readonly [string, Habit['react']][] = [
  ['returns nothing', () => saying('')],
  ['returns null', () => saying(null)],
  ['returns spaces', () => saying(' \n\t ')],
  ['has no choices', () => ({ status: 200, body: '{"choices":[]}' })],
  [
    'calls a tool',
    (content) => saying(null, { tool_calls: [{ id: 'c', function: { arguments: content } }] }),
  ],
  ['refuses in a member', (content) => saying(content, { refusal: 'I cannot help with that.' })],
  ['refuses in prose', () => saying('I’m sorry, but I can’t help with that.')],
  ['refuses in another language', () => saying('对不起，我无法回答这个问题。')],
  ['answers in prose', () => saying('The ferry is cancelled, as far as I know.')],
  ['never ends its thinking', (content) => saying(`<think>They want ${content}`)],
  [
    'is cut by its length',
    (content) => ({ status: 200, body: whole({ content: content.slice(0, 25) }, 'length') }),
  ],
  ['writes Python', (content) => saying(content.replaceAll('"', "'"))],
  ['answers with an empty object', () => saying('{}')],
  ['answers with other members', () => saying('{"answer":"yes","verdict":"yes"}')],
  ['returns a page', () => ({ status: 200, body: page, headers: { 'content-type': 'text/html' } })],
  ['returns an error as a page', () => ({ status: 502, body: page })],
  ['returns an error with 200', () => ({ status: 200, body: '{"error":{"message":"overloaded"}}' })],
  ['is busy', () => ({ status: 429, body: '{}', headers: { 'retry-after': '120' } })],
  ['fails', () => ({ status: 500, body: '{"error":"boom"}' })],
  ['is unavailable', () => ({ status: 503, body: '' })],
  ['knows no such key', () => ({ status: 401, body: '{"error":"sk-model-secret-1234"}' })],
  ['redirects', () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } })],
  ['refuses everything', () => refusing('messages')],
  ['is huge', () => saying('x'.repeat(600_000))],
  ['answers in UTF-16', (content) => ({ status: 200, body: Buffer.from(whole({ content }), 'utf16le') })],
  [
    'compresses, though nobody asked',
    (content) => ({
      status: 200,
      body: gzipSync(whole({ content })),
      headers: { 'content-encoding': 'gzip' },
    }),
  ],
  ['breaks off', () => 'break'],
];

export const HABITS: readonly Habit[] = [
  ...USED.map(([name, react]) => ({ name, react, works: true })),
  ...UNUSED.map(([name, react]) => ({ name, react, works: false })),
];

/** They end with the time limit. */
export const SILENT_HABITS = [
  ['hangs', 'stall'],
  ['drips', 'drip'],
] as const;

function typed(content: string, type: string): Reaction {
  return { status: 200, body: whole({ role: 'assistant', content }), headers: { 'content-type': type } };
}

function escapeAll(text: string): string {
  return text.replace(/[^\0-~]/gu, (sign) =>
    Array.from(
      { length: sign.length },
      (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function indent(content: string): string {
  return JSON.stringify(JSON.parse(content), null, '\t').replaceAll('\n', '\r\n');
}
