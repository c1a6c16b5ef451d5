/** Who asks, for what is far below a route: the pool, whose connections visitors share. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { App } from '../../routes.ts';
import { countedAs } from './shares.ts';

const asking = new AsyncLocalStorage<string | undefined>();

/** Who the request that this is done for is counted as; undefined for what the program does by itself. */
export function whoAsks(): string | undefined {
  return asking.getStore();
}

/**
 * Does what a request happens to begin, and is not for its visitor alone: work that all share, timers, and the end of what was
 * begun, which must not wait for a share that is in use. Timers and promises that it begins belong to the program, too.
 */
export function asProgram<T>(work: () => T): T {
  return asking.run(undefined, work);
}

/** Everything a route does, from the check of its input on, is done for whoever asks. Knows only who passed the gate. */
export function rememberWhoAsks(app: App): void {
  app.addHook('preValidation', (request, _reply, done) => asking.run(countedAs(request), done));
}
