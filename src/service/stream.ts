/**
 * Operation A as a stream of unnamed server-sent events: groups as they are ready, texts in pieces by
 * role, the completion, the whole answer, `[DONE]`. The last two are ours; known clients skip what they do
 * not know.
 */
import type { ServerResponse } from 'node:http';
import type { AiAnswer } from '../contract/ai-answer.ts';
import { internalErrorBody } from '../contract/error-bodies.ts';
import type { Dialect } from '../contract/dialect.ts';
import type { ResultItem } from '../contract/result-item.ts';
import { toWire } from '../contract/wire.ts';
import { SECOND } from '../engine/clock.ts';
import { GROUPS, type GroupedSource } from './assemble.ts';
import { piecesOf } from './pieces.ts';

const PING_MS = 10 * SECOND;

/** The texts of a completion, in the order in which they are sent. */
const ROLES = ['microblog_summary', 'discussion_board_summary', 'news_forum_summary', 'summary'] as const;

export type EventStream = {
  group(source: GroupedSource, items: readonly ResultItem[]): void;
  /** The end: texts, completion, result. */
  answer(answer: AiAnswer): Promise<void>;
  /** A failure after the head has gone out: said inside the stream. */
  fail(): void;
  /** Ends without saying anything, as a broken server would. */
  cut(): void;
};

/** Sends the head at once and a comment every ten seconds, so that nobody on the way gives up. */
export function openStream(
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
  const ping = setInterval(() => response.write(': ping\n\n'), PING_MS);
  response.once('close', () => clearInterval(ping));

  const send = (event: unknown) =>
    response.write(`data: ${JSON.stringify(toWire(dialect, 'event', event))}\n\n`);
  const end = () => {
    clearInterval(ping);
    response.end('data: [DONE]\n\n');
  };

  return {
    group(source, items) {
      send({ type: source, content: items });
    },
    async answer(answer) {
      for (const role of ROLES) {
        for (const piece of piecesOf(answer.completion[role])) {
          if (!send({ type: 'text', role, content: piece })) await drained(response);
          if (response.destroyed) return;
        }
      }
      send({ type: 'completion', content: answer.completion });
      send({ type: 'result', content: answer });
      end();
    },
    fail() {
      const { detail } = internalErrorBody();
      send({ type: 'error', error: detail.message, detail });
      end();
    },
    cut() {
      clearInterval(ping);
      response.end();
    },
  };
}

/** The groups of an answer, as they would have been sent one by one. */
export function groupsOf(answer: AiAnswer): [GroupedSource, readonly ResultItem[]][] {
  const sources = Object.keys(GROUPS) as GroupedSource[]; // Object.keys forgets the key type
  return sources.flatMap((source) => {
    const group = answer[GROUPS[source]];
    return group === undefined ? [] : [[source, group.organic_results]];
  });
}

/** Resolves when the client has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
