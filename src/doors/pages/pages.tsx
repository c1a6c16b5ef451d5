/** Every page: a new one is one file and one line here. */
import type { App, WebHome } from '../routes.ts';
import { assetRoutes } from './kit/assets.ts';
import { addFrame } from './kit/frame.ts';
import { overviewPage } from './overview/page.tsx';

const PAGES: readonly ((app: App, home: WebHome) => void | Promise<void>)[] = [overviewPage];

export async function pageRoutes(app: App, home: WebHome): Promise<void> {
  assetRoutes(app);
  await app.register(async (pages: App) => {
    addFrame(pages, home);
    for (const add of PAGES) await add(pages, home);
  });
}
