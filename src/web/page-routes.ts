import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { addAlertPages } from './alerts/alerts-page.tsx';
import { addComparePage } from './compare/compare-page.tsx';
import { addAssetRoutes } from './components/assets.ts';
import { addErrorPages } from './components/error-page.tsx';
import { addFrame } from './components/page-frame.tsx';
import { addDigestPages } from './digests/digest-pages.tsx';
import { addDocsPage } from './docs/docs-page.tsx';
import { addSearchEditPages } from './edit/edit-search-page.tsx';
import { addTopicEditPages } from './edit/edit-topic-page.tsx';
import { addNewTopicPages } from './edit/new-topic-page.tsx';
import { addExplorePage } from './explore/explore-page.tsx';
import { addSqlPage } from './explore/sql-page.tsx';
import { addAuthorPage } from './items/author-page.tsx';
import { addEvidencePages } from './items/evidence-page.tsx';
import { addListPages } from './lists/list-page.tsx';
import { addLinkPage } from './items/link-page.tsx';
import { addPostPage } from './items/post-page.tsx';
import { addOverviewPage } from './overview/overview-page.tsx';
import { addSelectionPages } from './overview/selection-pages.tsx';
import { addViewPages } from './overview/view-pages.tsx';
import { addWatchFile } from './overview/watch-file.ts';
import { addCostsPage } from './runs/costs-page.tsx';
import { addRunPage } from './runs/run-page.tsx';
import { addRunsPage } from './runs/runs-page.tsx';
import { addSharedPage } from './shares/shared-page.tsx';
import { addSharePages } from './shares/share-pages.tsx';
import { addSignInPage } from './sign-in-page.tsx';
import { addAuditPage } from './system/audit-page.tsx';
import { addSystemPage } from './system/system-page.tsx';
import { addTokenPages } from './system/tokens-page.tsx';
import { addCompletionHistoryPage } from './topic/completion-history.tsx';
import { addSearchPage } from './topic/search-page.tsx';
import { addPausePages } from './topic/pause-pages.tsx';
import { addPurgePages } from './topic/purge-pages.tsx';
import { addRemovePages, addStateActions } from './topic/topic-actions.tsx';
import { addNamesPage } from './topic/names-page.tsx';
import { addEmergingPage } from './topic/emerging-page.tsx';
import { addGoalPage } from './topic/goal-page.tsx';
import { addNotesPage } from './topic/notes-page.tsx';
import { addSourcesPage } from './topic/sources-page.tsx';
import { addStoryPages } from './topic/stories-page.tsx';
import { addTopicPage } from './topic/topic-page.tsx';

const PAGES: readonly ((app: App, routeContext: RouteContext) => void | Promise<void>)[] = [
  addPostPage,
  addLinkPage,
  addAuthorPage,
  addEvidencePages,
  addRunsPage,
  addCostsPage,
  addRunPage,
  addComparePage,
  addExplorePage,
  addSqlPage,
  addSystemPage,
  addDocsPage,
  addNewTopicPages,
  addSearchEditPages,
  addTopicEditPages,
  addStateActions,
  addPausePages,
  addRemovePages,
  addPurgePages,
  addAlertPages,
  addTokenPages,
  addAuditPage,
  addDigestPages,
  addOverviewPage,
  addSelectionPages,
  addViewPages,
  addSharePages,
  addSharedPage,
  addWatchFile,
  addTopicPage,
  addStoryPages,
  addSourcesPage,
  addNamesPage,
  addEmergingPage,
  addGoalPage,
  addNotesPage,
  addSearchPage,
  addListPages,
  addCompletionHistoryPage,
  addSignInPage,
];

export async function addPageRoutes(app: App, routeContext: RouteContext): Promise<void> {
  addErrorPages(app, routeContext);
  addAssetRoutes(app);
  await app.register(async (pages: App) => {
    addFrame(pages, routeContext);
    for (const add of PAGES) await add(pages, routeContext);
  });
}
