/** How much of what all visitors share one of them may hold at a time. Counted in memory: each process counts for itself. */
import type { FastifyRequest } from 'fastify';
import { Refused } from '../../../errors.ts';
import { Denied } from '../../../monitor/access/denied.ts';
import { networkOf } from '../../../monitor/access/network.ts';
import { MAX_STATEMENTS } from '../../../store/reader/ask.ts';
import type { Share, Shares } from '../../routes.ts';

/** Who a request is counted for: a token with its sessions, or the network that it comes from. */
export function countedAs({ visitor, ip }: Pick<FastifyRequest, 'visitor' | 'ip'>): string {
  return visitor.name ?? networkOf(ip);
}

/** Statements of SQL that may run at a time. */
export const STATEMENT_PLACES = { all: MAX_STATEMENTS, each: 2 };

/** The places of one process. */
export function openShares(): Shares {
  return {
    // A browser opens one for each page that is looked at; a team behind one token has fifty of them.
    events: shareOut('streams of events', { all: 500, each: 50 }),
    // Each has a connection of the database for as long as its reader takes.
    exports: shareOut('exports', { all: 4, each: 2 }),
    // Each is in memory, twenty megabytes or more, until its reader has taken it.
    answers: shareOut('raw answers', { all: 8, each: 2 }),
    // The most work of all reads: who searches leaves a connection of theirs to their other requests.
    finds: shareOut('searches of texts', { all: 6, each: 3 }),
    statements: shareOut('statements', STATEMENT_PLACES),
  };
}

/** After so many seconds a place may be free again. */
const RETRY_SECONDS = 5;

/**
 * @param what the places are held by, in the plural: `exports`
 * @param most places, for everybody together and for each visitor
 */
export function shareOut(what: string, most: { all: number; each: number }): Share {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(request) {
      const who = countedAs(request);
      const own = held.get(who) ?? 0;
      if (own >= most.each)
        throw new Denied(
          'too_many',
          `this visitor has ${most.each} ${what} in progress, as many as one may have; end one first`,
          RETRY_SECONDS,
        );
      if (all >= most.all)
        throw new Refused(
          'unavailable',
          `${most.all} ${what} are in progress, as many as there may be; try again later`,
        );
      held.set(who, own + 1);
      all += 1;
      let taken = true;
      return () => {
        if (!taken) return;
        taken = false;
        all -= 1;
        const left = (held.get(who) ?? 0) - 1;
        if (left > 0) held.set(who, left);
        else held.delete(who);
      };
    },
  };
}
