/** Every page, as four people see it: by day and by night, on a telephone and on a wide screen. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, openBrowser } from './browser.ts';
import { openStage, type Stage } from './stage.ts';
import { barriers, openVisit, PHONE, type Visit, WIDE } from './visit.ts';

/** Where pictures of the pages are kept, for people to look at; none are taken where it is not set. */
const PICTURES = process.env['STRANDLINE_PICTURES'];

const PAGES = ['/'] as const;

const EYES = [
  { eyes: 'light-wide', scheme: 'light', size: WIDE },
  { eyes: 'dark-wide', scheme: 'dark', size: WIDE },
  { eyes: 'light-phone', scheme: 'light', size: PHONE },
  { eyes: 'dark-phone', scheme: 'dark', size: PHONE },
] as const;

describe.skipIf(!hasBrowser())('every page', () => {
  let browser: Browser;
  let stage: Stage;
  let visit: Visit;

  beforeAll(async () => {
    const [opened, set] = await Promise.all([openBrowser(), openStage()]);
    if (opened === undefined) throw new Error('there was a browser a moment ago');
    browser = opened;
    stage = set;
    visit = await openVisit(browser, stage.web.url);
    if (PICTURES !== undefined) await mkdir(PICTURES, { recursive: true });
  }, 120_000);
  afterAll(async () => {
    await visit.close();
    await browser.close();
    await stage.close();
  });

  test.each(PAGES)('%s is whole, by day and by night, narrow and wide', async (address) => {
    const { page } = visit;
    const answer = await page.goto(address);
    expect(answer?.status()).toBe(200);
    for (const { eyes, scheme, size } of EYES) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize(size);
      expect(await barriers(page), eyes).toEqual([]);
      // Nothing makes a person on a telephone scroll sideways.
      expect(
        await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        eyes,
      ).toBeLessThanOrEqual(0);
      if (PICTURES !== undefined) {
        const name = `${address.replaceAll(/\W+/g, '-').replace(/^-|-$/g, '') || 'overview'}.${eyes}.png`;
        await page.screenshot({ path: path.join(PICTURES, name), fullPage: true });
      }
    }
    expect(visit.troubles()).toEqual([]);
  });
});
