/** Every group of routes of the API: a new one is one file and one line here. */
import type { App, WebHome } from '../routes.ts';

const GROUPS: readonly ((app: App, home: WebHome) => void)[] = [];

export function apiRoutes(app: App, home: WebHome): void {
  for (const add of GROUPS) add(app, home);
}
