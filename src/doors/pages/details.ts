/** The pages of one thing each, and those of everything. */
import type { App, WebHome } from '../routes.ts';
import { authorPage } from './author/page.tsx';
import { comparePage } from './compare/page.tsx';
import { docsPage } from './docs/page.tsx';
import { explorePage } from './explore/page.tsx';
import { sqlPage } from './explore/sql-page.tsx';
import { linkPage } from './link/page.tsx';
import { postPage } from './post/page.tsx';
import { runPage } from './run/page.tsx';
import { runsPage } from './runs/page.tsx';
import { systemPage } from './system/page.tsx';

const DETAILS: readonly ((app: App, home: WebHome) => void)[] = [
  postPage,
  linkPage,
  authorPage,
  runsPage,
  runPage,
  comparePage,
  explorePage,
  sqlPage,
  systemPage,
  docsPage,
];

export function detailPages(app: App, home: WebHome): void {
  for (const add of DETAILS) add(app, home);
}
