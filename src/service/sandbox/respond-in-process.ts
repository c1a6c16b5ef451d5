/** The sandbox without a server: what it would respond to a request at any time, for a simulated past. */
import { steppedClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Operation } from '../../model/enumerations.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { toWire } from '../../protocol/wire.ts';
import { AI_SEARCH, MICROBLOG_SEARCH } from '../operations.ts';
import { createSandboxSources } from './sandbox-sources.ts';

/** The type of its bodies. */
export const CONTENT_TYPE = 'application/json; charset=utf-8';

const NEVER = new AbortController().signal;

/**
 * The bytes of the response to a request at a time, one request after the other.
 * @throws Error for a request that the service would refuse
 */
export type SimulatedService = (
  operation: Operation,
  dialect: Dialect,
  request: unknown,
  at: Date,
) => Promise<Buffer>;

/** @param seed name of the world; default: the sandbox's */
export function createSimulatedService(log: Logger, seed: string | undefined): SimulatedService {
  const clock = steppedClock(new Date(0));
  const ctx = { sources: createSandboxSources(seed), clock, log, model: undefined, webGroup: false };
  return async (operation, dialect, request, at) => {
    clock.set(at);
    const forms = operation === 'ai' ? AI_SEARCH : MICROBLOG_SEARCH;
    const planned = forms[dialect.answers](ctx, dialect, request);
    if (!planned.ok) throw new Error(`the sandbox refuses a request: ${JSON.stringify(planned.problems)}`);
    const answer = await planned.work.search(NEVER);
    return Buffer.from(JSON.stringify(toWire(dialect, `${planned.work.operation}-answer`, answer)));
  };
}
