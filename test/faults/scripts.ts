/** How the service of a row responds. */
import { setTimeout as wait } from 'node:timers/promises';
import { wirePost } from '../stub-service.ts';
import type { Script } from './service.ts';

type Wire = Record<string, unknown>;

/** Operation B, as it is meant to be: posts with these ids. @param over members laid over each of them */
export function posts(ids: readonly string[], over: Wire = {}): Script {
  return (asked, response) => {
    asked.posts.push(...ids);
    const body = { miner_tweets: ids.map((id) => wirePost(id, over)) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

/** Three posts of their own for every prompt: `prompt` has to be a number. */
export const ownPosts: Script = (asked, response) =>
  posts(['1', '2', '3'].map((n) => `${asked.prompt}${n}`))(asked, response);

/** Any bytes. @param holds ids of the posts in them, where they can be read */
export function raw(
  body: string | Buffer,
  headers: Record<string, string | string[]> = { 'content-type': 'application/json' },
  { status: code = 200, holds = [] as readonly string[] } = {},
): Script {
  return (asked, response) => {
    asked.posts.push(...holds);
    response.writeHead(code, headers).end(body);
  };
}

export function status(code: number, headers: Record<string, string> = {}, body = '{"detail":"no"}'): Script {
  return raw(body, { 'content-type': 'application/json', ...headers }, { status: code });
}

/** Any JSON. @param holds ids of the posts and addresses of the links in it that can be read */
export function json(
  value: unknown,
  { posts: external = [], links = [] }: { posts?: readonly string[]; links?: readonly string[] } = {},
): Script {
  const script = raw(JSON.stringify(value));
  return (asked, response) => {
    asked.posts.push(...external);
    asked.links.push(...links);
    return script(asked, response);
  };
}

/** Never responds. */
export const silent: Script = () => {};

/** The connection is reset before any response. */
export const reset: Script = (_asked, response) => void response.socket?.resetAndDestroy();

export function late(ms: number, script: Script): Script {
  return async (asked, response) => {
    await wait(ms);
    await script(asked, response);
  };
}

/** A response that waits until it is released. */
export function gated(script: Script): { script: Script; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    script: async (asked, response) => {
      await opened;
      await script(asked, response);
    },
    open,
  };
}

/**
 * A body in pieces, with so many milliseconds between them, and then an end: `whole`, a `close` that says nothing, a
 * `reset`, or `never`.
 */
export function dripped(
  pieces: readonly (string | Buffer)[],
  options: {
    everyMs?: number;
    end?: 'whole' | 'close' | 'reset' | 'never';
    headers?: Record<string, string>;
    holds?: readonly string[];
  } = {},
): Script {
  const {
    everyMs = 0,
    end = 'whole',
    headers = { 'content-type': 'application/json' },
    holds = [],
  } = options;
  return async (asked, response) => {
    asked.posts.push(...holds);
    response.writeHead(200, headers);
    for (const piece of pieces) {
      if (response.destroyed) return;
      response.write(piece, () => {
        asked.sent += 1;
      });
      await wait(everyMs);
    }
    if (end === 'whole') response.end();
    if (end === 'close') response.socket?.end();
    if (end === 'reset') response.socket?.resetAndDestroy();
  };
}

/** Bytes of HTTP as they go over the wire, and then an end, as {@link dripped} has it. */
export function bytes(head: string, end: 'close' | 'reset' | 'never'): Script {
  return (_asked, { socket }) => {
    if (socket === null) return;
    const over = () => {
      if (end === 'close') socket.end();
      // What was written is on its way when it is reset.
      if (end === 'reset') setImmediate(() => socket.resetAndDestroy());
    };
    if (head === '') over();
    else socket.write(head, over);
  };
}
