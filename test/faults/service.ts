/**
 * The search service of a row: responds by script, and records the history of its requests. The ledger
 * is compared with this history after every row.
 */
import type { ServerResponse } from 'node:http';
import { systemClock } from '../../src/platform/clock.ts';
import { startStub, type StubRequest, type StubService } from '../stub-service.ts';

/** One request, as received and as responded to. */
export type Asked = StubRequest & {
  /** From the headers that the client sends along: whose request this is. */
  runId: bigint;
  call: number;
  prompt: string;
  at: Date;
  /** External ids of the posts, and addresses of the links, that the answer holds. Scripts note them. */
  posts: string[];
  links: string[];
  /** Pieces of the body that a script has sent so far. */
  sent: number;
  /** Whether the whole response was written to the socket. */
  answered: boolean;
  /** Whether the connection has ended. */
  closed: boolean;
};

/** How one request is responded to. It resolves when nothing more is written. */
export type Script = (asked: Asked, response: ServerResponse) => void | Promise<void>;

export type ScriptedService = Readonly<{
  url: string;
  /** The history, in the order in which requests were read in full. */
  asked: readonly Asked[];
  /** From now on: every request, or those with this prompt. Scripts given together are for the next requests in turn; the last stays. */
  answers(script: Script | readonly [Script, ...Script[]], prompt?: string): void;
  /** Leaves only the first so many requests in the history: the database has forgotten the others, too. */
  forget(after: number): void;
  /** Requests that a run, or a prompt, has made. */
  of(what: bigint | string): Asked[];
  close(): Promise<void>;
}>;

export async function startService(): Promise<ScriptedService> {
  const asked: Asked[] = [];
  const scripts = new Map<string | undefined, Script[]>();
  const next = (prompt: string): Script | undefined => {
    const turn = scripts.get(prompt) ?? scripts.get(undefined);
    return turn !== undefined && turn.length > 1 ? turn.shift() : turn?.[0];
  };
  const stub: StubService = await startStub(async (request, response) => {
    const one: Asked = {
      ...request,
      runId: BigInt(String(request.headers['x-run-id'])),
      call: Number(request.headers['x-call']),
      prompt: String(request.body['prompt']),
      at: systemClock.now(),
      posts: [],
      links: [],
      sent: 0,
      answered: false,
      closed: false,
    };
    asked.push(one);
    response.on('finish', () => {
      one.answered = true;
    });
    response.on('close', () => {
      one.closed = true;
    });
    // A connection that the client gave up is nothing to the service.
    response.on('error', () => {});
    const script = next(one.prompt);
    if (script === undefined) response.writeHead(500).end('no script');
    else await script(one, response);
  });
  return {
    url: stub.url,
    asked,
    answers: (script, prompt) => {
      scripts.set(prompt, [script].flat());
    },
    forget: (after) => void asked.splice(after),
    of: (what) => asked.filter((one) => (typeof what === 'bigint' ? one.runId : one.prompt) === what),
    close: () => stub.close(),
  };
}
