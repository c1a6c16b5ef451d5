/** A server that implements the OpenAI-compatible API, and returns what a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Verdict = 'yes' | 'partly' | 'no';

export type SeenQuestion = {
  path: string;
  /** What it is asked for: the name of the schema, which only requests with a schema have. */
  purpose: string | undefined;
  authorization: string | undefined;
  format: string | undefined;
  temperature: number | undefined;
  system: string;
  user: string;
  items: { id: number; kind: string; text: string }[];
  /** The parts it is asked to write. */
  roles: string[];
  nonce: string;
  /** What it is asked to check, and the id of that check. */
  sentences: { n: number; sources: number[]; text: string }[];
  checkId: string;
};

/** What it answers: a status and a body; or it sends nothing at all, begins and never ends, or breaks off. */
export type Reaction =
  | { status: number; body: string | Buffer; headers?: Record<string, string> }
  | 'stall'
  | 'drip'
  | 'break';

export type FakeModel = {
  baseUrl: string;
  questions: SeenQuestion[];
  close(): Promise<void>;
};

export async function startFakeModel(react: (question: SeenQuestion) => Reaction): Promise<FakeModel> {
  const questions: SeenQuestion[] = [];
  const server = createServer((request, response) => {
    const serve = async () => {
      const question = questionOf(request, await readAll(request));
      questions.push(question);
      answer(response, react(question));
    };
    void serve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    questions,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A good answer: HTTP 200 with this as the message. */
export function saying(content: string | null, rest: object = {}): Reaction {
  const message = { role: 'assistant', content, ...rest };
  return {
    status: 200,
    body: JSON.stringify({ id: 'x', choices: [{ index: 0, finish_reason: 'stop', message }] }),
  };
}

/** The verdicts of a model that gives the controls theirs: what stands in a source is stated, and what was printed in 1312 is not. */
export function verdictsOf(
  { sentences, items, checkId }: SeenQuestion,
  judge: (sentence: { text: string; sources: number[] }) => Verdict,
): { id: string; verdicts: { n: number; v: Verdict }[] } {
  const judgeOne = (sentence: { text: string; sources: number[] }): Verdict => {
    if (sentence.text.includes('1312')) return 'no';
    return items.some(({ text }) => text.includes(sentence.text)) ? 'yes' : judge(sentence);
  };
  return { id: checkId, verdicts: sentences.map(({ n, ...rest }) => ({ n, v: judgeOne(rest) })) };
}

/** What an honest model writes: the longest sentence of the first items of each part. */
export function honest({ roles, items }: SeenQuestion): Record<string, unknown> {
  return Object.fromEntries(
    roles.map((role) => {
      const own = items.filter(({ kind }) => role === 'summary' || role.startsWith(kind)).slice(0, 4);
      const said = own.map(({ id, text }) => ({ text: longestOf(text), cite: id }));
      return [
        role,
        {
          summary: said.map(({ text, cite }) => ({ text, cites: [cite] })),
          key: role === 'summary' ? [] : said,
        },
      ];
    }),
  );
}

function longestOf(text: string): string {
  const sentences = text.split(/(?<=[.!?。])\s+/u).filter((sentence) => /[.!?。]$/u.test(sentence));
  return sentences.sort((a, b) => b.length - a.length)[0] ?? text;
}

function answer(response: ServerResponse, reaction: Reaction): void {
  if (reaction === 'stall') return;
  if (reaction === 'drip') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":');
    return;
  }
  if (reaction === 'break') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":', () => response.destroy());
    return;
  }
  const { status, headers, body } = reaction;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

function questionOf(request: IncomingMessage, body: string): SeenQuestion {
  // What the client under test sends; a test fails when it is not so.
  const sent = JSON.parse(body) as {
    messages: { content: string }[];
    response_format?: { type: string; json_schema?: { name: string } };
    temperature?: number;
  };
  const system = sent.messages[0]?.content ?? '';
  const user = sent.messages[1]?.content ?? '';
  return {
    path: request.url ?? '',
    purpose: sent.response_format?.json_schema?.name,
    authorization: request.headers.authorization,
    format: sent.response_format?.type,
    temperature: sent.temperature,
    system,
    user,
    items: Array.from(
      user.matchAll(/<<src \w+ id=(\d+) kind=(\w+)[^>]*>>\n(.*)\n<<\/src/g),
      ([, id, kind, text]) => ({
        id: Number(id),
        kind: kind ?? '',
        text: text ?? '',
      }),
    ),
    roles: Array.from(system.matchAll(/^- "(\w+)"/gm), ([, role]) => role ?? ''),
    nonce: /<<src (\w+)/.exec(system)?.[1] ?? '',
    // As our own question has them.
    sentences: Array.from(
      user.matchAll(/^\{"n":.*$/gm),
      ([line]) => JSON.parse(line) as SeenQuestion['sentences'][number],
    ),
    checkId: /"id": "(\w+)"/.exec(system)?.[1] ?? '',
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer); // no encoding is set
  return Buffer.concat(pieces).toString('utf8');
}
