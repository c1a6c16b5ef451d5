/** Who asks, for what is far below a route: the pool, whose connections visitors share. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { App } from '../../routes.ts';
import { countedAs } from './shares.ts';

const asking = new AsyncLocalStorage<string>();

/** Who the request that this is done for is counted as; undefined for what the program does by itself. */
export function whoAsks(): string | undefined {
  return asking.getStore();
}

/** Everything a route does, from the check of its input on, is done for whoever asks. Knows only who passed the gate. */
export function rememberWhoAsks(app: App): void {
  app.addHook('preValidation', (request, _reply, done) => asking.run(countedAs(request), done));
}
