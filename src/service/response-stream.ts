/**
 * Operation A as a stream of unnamed server-sent events: groups as they are ready, texts in pieces by
 * role, the completion, the whole answer, `[DONE]`. The last two are ours; known clients skip what they do
 * not know.
 */
import type { ServerResponse } from 'node:http';
import { internalErrorBody } from '../protocol/error-body.ts';
import type { Dialect } from '../protocol/dialect.ts';
import type { ServedAiResponse } from '../protocol/extensions.ts';
import type { FlatAiResponse } from '../protocol/flat-response.ts';
import { toWire } from '../protocol/wire.ts';
import type { Source } from '../model/enumerations.ts';
import { SECOND } from '../lib/time.ts';
import { type CompletionRole, COMPLETION_ROLES } from './answering/completion-draft.ts';
import { splitPieces } from './ai-search.ts';

const PING_INTERVAL_MS = 10 * SECOND;

type EventStream = {
  group: (source: Source, items: readonly object[]) => void;
  /** More of the text of a role; roles may interleave. */
  text: (role: CompletionRole, text: string) => void;
  /** The end: what was not sent of the texts, completion, result. */
  answer(answer: ServedAiResponse | FlatAiResponse): Promise<void>;
  /** A failure after the headers were sent: reported inside the stream. */
  fail(): void;
};

/** Sends headers immediately and a comment every ten seconds, so that proxies do not time out. */
export function openEventStream(
  response: ServerResponse,
  dialect: Dialect,
  headers: Readonly<Record<string, string>>,
): EventStream {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  const ping = setInterval(() => {
    // To a client that does not read, silence: the connection is given up where nothing moves.
    if (!response.writableNeedDrain) response.write(': ping\n\n');
  }, PING_INTERVAL_MS);
  response.once('close', () => clearInterval(ping));

  const sent = new Map<CompletionRole, string>();
  const event = (value: unknown) => `data: ${JSON.stringify(toWire(dialect, 'event', value))}\n\n`;
  const end = () => {
    clearInterval(ping);
    response.end('data: [DONE]\n\n');
  };

  function text(role: CompletionRole, more: string): void {
    if (more === '') return;
    sent.set(role, (sent.get(role) ?? '') + more);
    // One write for all pieces: each is an event of its own, but need not be a packet of its own.
    response.write(
      splitPieces(more)
        .map((content) => event({ type: 'text', role, content }))
        .join(''),
    );
  }

  return {
    group(source, items) {
      response.write(event({ type: source, content: items }));
    },
    text,
    async answer(answer) {
      const { completion } = answer;
      for (const role of COMPLETION_ROLES) {
        // A flat completion is a text, whose parts were sent while it was written.
        const whole = typeof completion === 'object' && completion !== null ? completion[role] : '';
        const before = sent.get(role) ?? '';
        if (whole.startsWith(before)) text(role, whole.slice(before.length));
      }
      // What was sent so far is bounded by one answer; the rest waits until the client has taken it.
      await waitForDrain(response);
      response.write(event({ type: 'completion', content: completion ?? '' }));
      await waitForDrain(response);
      response.write(event({ type: 'result', content: answer }));
      end();
    },
    fail() {
      const { detail } = internalErrorBody();
      response.write(event({ type: 'error', error: detail.message, detail }));
      end();
    },
  };
}

/** Resolves when the client has received the data, or disconnected. */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || !response.writableNeedDrain) return resolve();
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
