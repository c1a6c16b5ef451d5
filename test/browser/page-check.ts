/** What every page must satisfy in a browser: no layout problem, no accessibility barrier, no error in the console. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openBrowser } from './browser.ts';
import { openStage, type Stage } from './stage.ts';
import { barriers, load, NARROW, openVisit, PHONE, type Visit, WIDE } from './visit.ts';

/** Where screenshots are stored for people to look at; none are taken if it is not set. */
const PICTURES = process.env['STRANDLINE_PICTURES'];

/** Widths do not depend on colors, nor colors on widths: each scheme is checked at one width. */
export const EYES = [
  { eyes: 'light-wide', scheme: 'light', size: WIDE },
  { eyes: 'dark-phone', scheme: 'dark', size: PHONE },
] as const;

/** Pages in a browser, and what they show. */
export type Checked = {
  browser: Browser;
  stage: Stage;
  visit: Visit;
  /** Shows each page as its scripts left it, without loading axe again, which takes as long as a check. */
  copies: Page;
  close(): Promise<void>;
};

/** Opens the stage and a browser, which must be there. */
export async function openChecked(): Promise<Checked> {
  const [browser, stage] = await Promise.all([openBrowser(), openStage()]);
  if (browser === undefined) throw new Error('there was a browser a moment ago');
  const visit = await openVisit(browser, stage.web.url);
  // What scripts have set is an attribute here, which the policy would not let in.
  const { page: copies } = await openVisit(browser, stage.web.url, { bypassCSP: true });
  await copies.goto('/new');
  const close = async () => {
    await visit.close();
    await browser.close();
    await stage.close();
  };
  return { browser, stage, visit, copies, close };
}

/** Opens a page light and dark, narrow and wide. */
export async function checkPage(
  { visit, copies, stage }: Checked,
  { name, address, status = 200 }: { name: string; address: string; status?: number },
): Promise<void> {
  const { page } = visit;
  const answer = await load(page, address, stage.history.world.ctx);
  expect(answer?.status()).toBe(status);
  // Not another page in its place.
  expect(page.url()).toBe(stage.web.url + address);
  if (PICTURES !== undefined) await mkdir(PICTURES, { recursive: true });
  for (const { eyes, scheme, size } of EYES) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(size);
    expect.soft(await page.evaluate(TOO_WIDE), eyes).toEqual([]);
    if (PICTURES !== undefined) {
      const file = `${name.replaceAll(/\W+/g, '-')}.${eyes}.png`;
      await page.screenshot({ path: path.join(PICTURES, file), fullPage: true });
    }
  }
  await page.setViewportSize(NARROW);
  expect.soft(await page.evaluate(TOO_WIDE), 'narrow').toEqual([]);
  expect.soft(await page.evaluate(STRUCTURE)).toEqual([]);
  await page.evaluate(TWO_ROWS_OF_A_KIND);
  await copies.setContent((await page.content()).replaceAll(/<script.*?<\/script>/gs, ''));
  for (const { eyes, scheme, size } of EYES) {
    await copies.emulateMedia({ colorScheme: scheme });
    await copies.setViewportSize(size);
    expect.soft(await barriers(copies), eyes).toEqual([]);
  }
  const troubles = visit.troubles().filter((one) => status === 200 || !one.includes(`status of ${status}`));
  expect(troubles).toEqual([]);
}

/** Nobody on a phone has to scroll sideways, except inside elements that scroll by themselves. */
export const TOO_WIDE = `(async () => {
  // A chart is resized in the following frame.
  for (let i = document.querySelector('.plot') === null ? 2 : 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  return [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.closest('.scroll, pre, .places') === null)
    .slice(-4)
    .map((one) => one.outerHTML.slice(0, 160));
})()`;

/**
 * Leaves two of the rows that differ in words and addresses only: they have the same barriers, and each takes its time to
 * check. What the rows that are removed could have for themselves is an id that is there already.
 */
const TWO_ROWS_OF_A_KIND = `(() => {
  const counted = new Map();
  for (const row of document.querySelectorAll('main :is(li, tr, option, .line)')) {
    const shown = row.outerHTML.replaceAll(/>[^<]+/g, '>words');
    const kind = shown.replaceAll(/(?<! (?:class|type|role|aria-(?!label)[a-z]+))="[^"]+"/g, '="words"');
    if (!counted.has(row.parentElement)) counted.set(row.parentElement, {});
    const counts = counted.get(row.parentElement);
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (counts[kind] > 2) row.remove();
  }
})()`;

/** One main heading per page, no level skipped below it, and no id twice. */
const STRUCTURE = `(() => {
  const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5')].map((one) => Number(one.tagName[1]));
  const wrong = levels.flatMap((level, i) => (level > (levels[i - 1] ?? 0) + 1 ? ['h' + level + ' as heading ' + (i + 1)] : []));
  if (levels.filter((one) => one === 1).length !== 1) wrong.push('not one h1');
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  return [...wrong, ...ids.filter((id, i) => ids.indexOf(id) < i)];
})()`;
