/** Every page: a new one is one file and one line here. */
import type { App, WebHome } from '../routes.ts';
import { overviewPage } from './overview/page.tsx';

const PAGES: readonly ((app: App, home: WebHome) => void | Promise<void>)[] = [overviewPage];

export async function pageRoutes(app: App, home: WebHome): Promise<void> {
  for (const add of PAGES) await add(app, home);
}
