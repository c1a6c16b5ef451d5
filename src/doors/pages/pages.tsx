/** Every page: a new one is one file and one line here. */
import type { App, WebHome } from '../routes.ts';
import { detailPages } from './details.ts';
import { assetRoutes } from './kit/assets.ts';
import { addFailures } from './kit/failure.tsx';
import { addFrame } from './kit/frame.ts';
import { changeActions } from './actions/changes.ts';
import { removePages } from './actions/remove.tsx';
import { auditPage } from './audit/page.tsx';
import { alertPages } from './alerts/page.tsx';
import { editPages } from './edit/page.tsx';
import { topicEditPages } from './edit/topic.tsx';
import { newPages } from './new/page.tsx';
import { overviewPage } from './overview/page.tsx';
import { searchPage } from './search/page.tsx';
import { tokenPages } from './tokens/page.tsx';
import { signInPage } from './sign-in/page.tsx';
import { topicPage } from './topic/page.tsx';

const PAGES: readonly ((app: App, home: WebHome) => void | Promise<void>)[] = [
  detailPages,
  newPages,
  editPages,
  topicEditPages,
  changeActions,
  removePages,
  alertPages,
  tokenPages,
  auditPage,
  overviewPage,
  topicPage,
  searchPage,
  signInPage,
];

export async function pageRoutes(app: App, home: WebHome): Promise<void> {
  addFailures(app, home);
  assetRoutes(app);
  await app.register(async (pages: App) => {
    addFrame(pages, home);
    for (const add of PAGES) await add(pages, home);
  });
}
