/**
 * Shares of limited resources per visitor, and the visitor on whose behalf work is done. Each process counts on its own, in
 * memory.
 */

import { Refused } from '../../model/errors.ts';
import { MAX_STATEMENTS } from '../../store/reader/ask-reader.ts';
import { extractNetwork } from '../../platform/network.ts';
import { Denied } from '../access/visitor-scopes.ts';
import type { App, Share, Shares } from './route-types.ts';
import type { FastifyRequest } from 'fastify';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Whom a request counts for: a token with its sessions, or the network of the client. */
export function getVisitorKey({
  visitor,
  clientAddress,
}: Pick<FastifyRequest, 'visitor' | 'clientAddress'>): string {
  return visitor.name ?? extractNetwork(clientAddress);
}

/** Parallel SQL statements. */
export const MAX_CONCURRENT_STATEMENTS = { all: MAX_STATEMENTS, each: 2 };

/** The places of one process. */
export function createShares(): Shares {
  return {
    // A browser opens a stream per visible page; a team with one token may have fifty.
    events: createShare('event streams', { all: 500, each: 50 }),
    // Each uses a database connection for as long as the client reads.
    exports: createShare('exports', { all: 4, each: 2 }),
    // Each takes twenty megabytes of memory or more until the client has read it.
    answers: createShare('raw responses', { all: 8, each: 2 }),
    // The most expensive reads: the limit leaves the visitor a connection for other requests.
    finds: createShare('text searches', { all: 6, each: 3 }),
    statements: createShare('statements', MAX_CONCURRENT_STATEMENTS),
  };
}

/** When a place may be free again. */
const SHARE_RETRY_SECONDS = 5;

/**
 * @param label what uses the places, in the plural: `exports`
 * @param max places in total, and per visitor
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
          `you have ${max.each} ${label} in progress, the limit per client; end one, or wait for one to finish`,
          SHARE_RETRY_SECONDS,
        );
      if (all >= max.all)
        throw new Refused(
          'unavailable',
          `${max.all} ${label} are in progress, the limit of this server; try again later`,
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

/** The visitor of the current request, for the connection pool far below the routes. */
const visitorKeyStorage = new AsyncLocalStorage<string | undefined>();

/** The key of the visitor on whose behalf this runs; undefined for work of the program itself. */
export function getCurrentVisitorKey(): string | undefined {
  return visitorKeyStorage.getStore();
}

/**
 * Runs work that a request starts but that is not for its visitor alone: shared work, timers, and cleanup, which must not
 * wait for a share that is in use. Timers and promises that it starts belong to the program, too.
 */
export function runAsProgram<T>(work: () => T): T {
  return visitorKeyStorage.run(undefined, work);
}

/** Attributes everything a route does, from validation on, to its visitor. Must be added after the gate. */
export function trackCurrentVisitor(app: App): void {
  app.addHook('preValidation', (request, _reply, done) =>
    visitorKeyStorage.run(getVisitorKey(request), done),
  );
}
