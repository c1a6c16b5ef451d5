/** The pages that a person opens every day; `pages.test.ts` opens all of them. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasBrowser, openBrowser } from './browser.ts';
import { checkPage, openCopies } from './page-check.ts';
import { openStage, type Stage } from './stage.ts';
import { openVisit, type Visit } from './visit.ts';

describe.skipIf(!hasBrowser())('main pages', () => {
  let browser: Browser;
  let stage: Stage;
  let visit: Visit;
  let copies: Page;

  beforeAll(async () => {
    const [opened, set] = await Promise.all([openBrowser(), openStage()]);
    if (opened === undefined) throw new Error('there was a browser a moment ago');
    browser = opened;
    stage = set;
    visit = await openVisit(browser, stage.web.url);
    copies = await openCopies(browser, stage);
  });
  afterAll(async () => {
    await visit?.close();
    await browser?.close();
    await stage?.close();
  });

  test.for([
    ['overview', '/'],
    ['topic', '/topics/trains'],
    ['posts of a topic', '/topics/trains/posts?sort=growth'],
    ['search with AI', '/searches/trains-ai?range=30d'],
    ['runs', '/runs'],
    ['alerts', '/alerts'],
    ['explore', '/explore?q=post'],
    ['system', '/system'],
    ['new topic', '/new'],
  ] as const)(
    '%s has no layout or accessibility problem, light or dark, narrow or wide',
    async ([name, address]) => {
      await checkPage({ visit, copies, stage }, { name: `main ${name}`, address });
    },
  );
});
