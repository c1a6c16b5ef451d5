/**
 * How much of what all visitors share one of them may hold at a time, and for which visitor work is done. Each process counts
 * for itself, in memory.
 */

import { Refused } from '../../domain/errors.ts';
import { MAX_STATEMENTS } from '../../store/reader/ask-reader.ts';
import { extractNetwork } from '../access/authentication.ts';
import { Denied } from '../access/visitor-scopes.ts';
import type { App, Share, Shares } from './route-types.ts';
import type { FastifyRequest } from 'fastify';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Who a request is counted for: a token with its sessions, or the network that it comes from. */
export function getVisitorKey({ visitor, ip }: Pick<FastifyRequest, 'visitor' | 'ip'>): string {
  return visitor.name ?? extractNetwork(ip);
}

/** Statements of SQL that may run at a time. */
export const MAX_CONCURRENT_STATEMENTS = { all: MAX_STATEMENTS, each: 2 };

/** The places of one process. */
export function createShares(): Shares {
  return {
    // A browser opens one for each page that is looked at; a team behind one token has fifty of them.
    events: createShare('streams of events', { all: 500, each: 50 }),
    // Each has a connection of the database for as long as its reader takes.
    exports: createShare('exports', { all: 4, each: 2 }),
    // Each is in memory, twenty megabytes or more, until its reader has taken it.
    answers: createShare('raw answers', { all: 8, each: 2 }),
    // The most work of all reads: who searches leaves a connection of theirs to their other requests.
    finds: createShare('searches of texts', { all: 6, each: 3 }),
    statements: createShare('statements', MAX_CONCURRENT_STATEMENTS),
  };
}

/** After so many seconds a place may be free again. */
const SHARE_RETRY_SECONDS = 5;

/**
 * @param label what the places are held by, in the plural: `exports`
 * @param max places, for everybody together and for each visitor
 */
export function createShare(label: string, max: { all: number; each: number }): Share {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(request) {
      const key = getVisitorKey(request);
      const own = held.get(key) ?? 0;
      if (own >= max.each)
        throw new Denied(
          'too_many',
          `this visitor has ${max.each} ${label} in progress, as many as one may have; end one first`,
          SHARE_RETRY_SECONDS,
        );
      if (all >= max.all)
        throw new Refused(
          'unavailable',
          `${max.all} ${label} are in progress, as many as there may be; try again later`,
        );
      held.set(key, own + 1);
      all += 1;
      let taken = true;
      return () => {
        if (!taken) return;
        taken = false;
        all -= 1;
        const left = (held.get(key) ?? 0) - 1;
        if (left > 0) held.set(key, left);
        else held.delete(key);
      };
    },
  };
}

/** The visitor of the current request, for what is far below a route: the pool, whose connections visitors share. */
const visitorKeyStorage = new AsyncLocalStorage<string | undefined>();

/** Who the request that this is done for is counted as; undefined for what the program does by itself. */
export function getCurrentVisitorKey(): string | undefined {
  return visitorKeyStorage.getStore();
}

/**
 * Does what a request happens to begin, and is not for its visitor alone: work that all share, timers, and the end of what was
 * begun, which must not wait for a share that is in use. Timers and promises that it begins belong to the program, too.
 */
export function runAsProgram<T>(work: () => T): T {
  return visitorKeyStorage.run(undefined, work);
}

/** Everything a route does, from the check of its input on, is done for whoever asks. Knows only who passed the gate. */
export function trackCurrentVisitor(app: App): void {
  app.addHook('preValidation', (request, _reply, done) =>
    visitorKeyStorage.run(getVisitorKey(request), done),
  );
}
