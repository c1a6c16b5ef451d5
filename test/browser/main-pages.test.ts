/** The pages that a person opens every day; `pages.test.ts` opens all of them. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { type Checked, checkPage, openChecked } from './page-check.ts';

describe.skipIf(!hasBrowser())('main pages', () => {
  let checked: Checked;
  beforeAll(async () => {
    checked = await openChecked();
  });
  afterAll(() => checked?.close());

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
      await checkPage(checked, { name: `main ${name}`, address });
    },
  );
});
