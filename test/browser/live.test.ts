/** Live updates move nothing while a person reads; they are applied after a click. */
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR } from '../../src/lib/time.ts';
import type { History } from '../house/questions/history.ts';
import { hasBrowser, openBrowser } from './browser.ts';
import { openStage, type Stage } from './stage.ts';
import { barriers, openVisit, PHONE, TABLET, type Visit, WIDE } from './visit.ts';

/** Where screenshots are stored for people to look at; none are taken if it is not set. */
const PICTURES = process.env['STRANDLINE_PICTURES'];

const LIVE = [
  '/',
  '/topics/trains',
  '/searches/trains-posts',
  '/searches/trains-ai?range=30d',
  '/topics/trains/discoveries',
];
/** With these, all pages that follow events. */
const LIVE_LISTS = ['/topics/trains/posts', '/topics/trains/links', '/searches/trains-posts/posts'];
/** Tabs of one browser in which the same runs find something. */
const EIGHT_TABS = [
  '/',
  '/topics/trains',
  '/searches/trains-posts',
  '/topics/trains/discoveries',
  '/topics/trains/posts',
  '/searches/trains-posts/posts',
  '/',
  '/topics/trains',
];
/** These follow no events. */
const STILL = ['/runs', '/explore?q=post', '/system', '/alerts', '/compare?topics=trains,buses'];

/** The newest item; on the overview, how many stories are new. */
const FIRST_LINE = '#newest .line, #list .line, #stories summary, #stories .hint';
const SIZES = [WIDE, TABLET, PHONE];
/** Slots of three hours: searches for posts find something in each, those with AI in the first of a day. */
const SOME_HOURS = 2;

describe.skipIf(!hasBrowser())('an open page', () => {
  let browser: Browser;
  let stage: Stage;
  beforeAll(async () => {
    const [opened, set] = await Promise.all([openBrowser(), openStage()]);
    if (opened === undefined) throw new Error('there was a browser a moment ago');
    browser = opened;
    stage = set;
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.close();
  });

  describe('at three sizes', () => {
    /** Each in its own window, with its own time zone; a new visitor to each page. */
    let visits: Visit[] = [];
    beforeAll(async () => {
      visits = await Promise.all(
        SIZES.map((viewport) => openVisit(browser, stage.web.url, { viewport, timezoneId: 'Europe/Berlin' })),
      );
    });
    afterAll(async () => void (await Promise.all(visits.map((visit) => visit.close()))));

    test.for(LIVE)(
      '%s: discoveries do not shift the content, all appear after a click, and a reload changes nothing',
      async (address) => {
        for (const { page } of visits) {
          await page.context().clearCookies();
          await page.goto(address);
          await page.locator('body[data-zone="Europe/Berlin"]').waitFor();
          await page.evaluate(NOTE_SHIFTS);
        }
        const before = await Promise.all(visits.map(({ page }) => placesOf(page)));
        const first = await visits[0]?.page.locator(FIRST_LINE).first().textContent();
        if (address.includes('-ai')) await runUntilTomorrow(stage.history);
        // Posts, and other posts that gain.
        else for (let i = 0; i < SOME_HOURS; i += 1) await stage.history.runNextSlot();
        for (const [i, visit] of visits.entries()) {
          const { page } = visit;
          const size = `${page.viewportSize()?.width}`;
          const pill = page.getByRole('status').getByRole('button', { name: 'show' });
          await pill.waitFor();
          expect.soft(await placesOf(page), size).toEqual(before[i]);
          expect.soft(await page.evaluate('shifts'), size).toEqual([]);
          // A barrier shows on the smallest screen.
          if (i === SIZES.length - 1) expect.soft(await barriers(page), size).toEqual([]);
          await picture(page, address, `${size}-arrived`);

          await pill.click();
          await pill.waitFor({ state: 'detached' });
          expect.soft(await page.evaluate(FOCUSED), size).toMatch(/^(?:newest|list|stories)$/);
          expect.soft(await page.locator(FIRST_LINE).first().textContent()).not.toBe(first);
          const after = await placesOf(page);
          expect.soft(columnsOf(after), size).toEqual(columnsOf(before[i] ?? []));
          expect.soft(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), size).toBe(0);
          await picture(page, address, `${size}-shown`);
          expect.soft(visit.troubles(), size).toEqual([]);
          if (i === 0) await expectSameAfterReload(page, address);
        }
      },
    );
  });

  test('a list after an event equals the list after a reload', async () => {
    const visits = await Promise.all(
      LIVE_LISTS.map(async (address) => {
        const visit = await openVisit(browser, stage.web.url, { timezoneId: 'Europe/Berlin' });
        await visit.page.goto(address);
        await visit.page.locator('body[data-zone="Europe/Berlin"][data-events]').waitFor();
        return { address, visit, loaded: await visit.page.evaluate<string[]>(CONTENT) };
      }),
    );
    for (let i = 0; i < SOME_HOURS; i += 1) await stage.history.runNextSlot();
    for (const { address, visit, loaded } of visits) {
      const { page } = visit;
      const pill = page.getByRole('status').getByRole('button', { name: 'show' });
      await pill.click();
      await pill.waitFor({ state: 'detached' });
      expect.soft(await page.evaluate<string[]>(CONTENT), address).not.toEqual(loaded);
      await expectSameAfterReload(page, address);
      await visit.close();
    }
  });

  test('eight tabs share one stream, which goes on when the first of them is closed', async () => {
    const visit = await openVisit(browser, stage.web.url, { timezoneId: 'Europe/Berlin' });
    const { page: first } = visit;
    const pages = [first];
    for (const address of EIGHT_TABS) {
      const page =
        pages.length === 1 && first.url() === 'about:blank' ? first : await first.context().newPage();
      if (page !== first) pages.push(page);
      // Of a seventh tab with a stream of its own, nothing would be loaded: a browser opens six connections to a host.
      await page.goto(address);
      await page.locator('body[data-zone="Europe/Berlin"][data-events]').waitFor();
    }
    expect(pages).toHaveLength(8);
    const showAll = async (open: readonly Page[]) => {
      for (const page of open) {
        const pill = page.getByRole('status').getByRole('button', { name: /^Show \d+ new$/ });
        await pill.click();
        await pill.waitFor({ state: 'detached' });
      }
    };
    for (let i = 0; i < SOME_HOURS; i += 1) await stage.history.runNextSlot();
    await showAll(pages);
    await first.close();
    for (let i = 0; i < SOME_HOURS; i += 1) await stage.history.runNextSlot();
    await showAll(pages.slice(1));
    expect(visit.troubles()).toEqual([]);
    await visit.close();
  });

  test('relative times refresh in place, and a key shows new items', async () => {
    const visit = await openVisit(browser, stage.web.url, { viewport: WIDE });
    const { page } = visit;
    await page.clock.install();
    await page.goto('/topics/trains');
    const when = page.locator('#list time').first();
    const said = await when.textContent();
    const pill = page.getByRole('status').getByRole('button');
    stage.history.world.clock.advance(HOUR);
    await page.clock.runFor(61_000);
    await expect.poll(() => when.textContent()).not.toBe(said);
    expect(await pill.count()).toBe(0);

    await stage.history.runNextSlot();
    // What the script waits for passes immediately; what the server needs for it does not.
    await expect.poll(async () => (await page.clock.runFor(1_000), pill.count())).toBe(1);
    await page.locator('#changed a').first().focus();
    await page.keyboard.press('n');
    await pill.waitFor({ state: 'detached' });
    expect(await page.evaluate(FOCUSED)).toBe('list');
    await visit.close();
  });

  test('live updates keep form input', async () => {
    const visit = await openVisit(browser, stage.web.url, { viewport: WIDE });
    const { page } = visit;
    await page.goto('/new');
    await page.locator('main [name="text"]').fill('night trains');
    await page.locator('main [name="do"]').first().focus();
    // Nothing is new: a page requested anyway would be detected here.
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(fetched.filter((one) => one === '/new')).toEqual([]);
    expect(await page.locator('main [name="text"]').inputValue()).toBe('night trains');

    await page.goto('/topics/trains');
    const pill = page.getByRole('status').getByRole('button', { name: 'show' });
    // A form as a page that follows events may have one.
    await page.evaluate(
      `document.querySelector('main details').open = true;
       document.querySelector('main form').insertAdjacentHTML('beforeend', '<input name="typed">')`,
    );
    await page.locator('main [name="typed"]').fill('kept');
    for (let i = 0; i < SOME_HOURS; i += 1) await stage.history.runNextSlot();
    await pill.waitFor();
    await pill.click();
    await pill.waitFor({ state: 'detached' });
    expect(await page.locator('main [name="typed"]').inputValue()).toBe('kept');
    expect(await page.evaluate(FOCUSED)).toBe('list');
    expect(visit.troubles()).toEqual([]);
    await visit.close();
  });

  test('a page is fetched immediately for the first event, and every five seconds under a steady stream', async () => {
    const visit = await openVisit(browser, stage.web.url, { viewport: WIDE });
    const { page } = visit;
    await page.clock.install();
    await page.addInitScript(EVENTS_BY_HAND);
    await page.goto('/topics/trains');
    await page.locator('body[data-zone]').waitFor();
    await page.evaluate('source');
    // From here on, the page's time passes only by `runFor`, and each fetch ends within its second.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const fetchedAfter = async (seconds: number) => {
      for (let i = 0; i < seconds; i += 1) {
        await page.evaluate(`source.dispatchEvent(new Event('run'))`);
        await page.clock.runFor(1_000);
        await page.evaluate('Promise.allSettled(fetches)');
      }
      return page.evaluate<number>('fetches.length');
    };
    expect(await fetchedAfter(1)).toBe(1);
    expect(await fetchedAfter(20)).toBe(5);
    await visit.close();
  });

  test('unchanged pages are not sent again', async () => {
    const visit = await openVisit(browser, stage.web.url, { viewport: WIDE, timezoneId: 'Europe/Berlin' });
    const { page } = visit;
    for (const address of LIVE) {
      await page.goto(address);
      await page.locator('body[data-zone="Europe/Berlin"]').waitFor();
      // The first of them may be another page than the one that was loaded: it is that of the zone, or of a visit that goes on.
      const [, again] = await page.evaluate<{ sent: number; held: number }[]>(FETCH_TWICE);
      expect(again?.held, address).toBeGreaterThan(10_000);
      expect(again?.sent, address).toBeLessThan(2_000);
    }
    await visit.close();
  });

  test('other pages follow no events', async () => {
    const visit = await openVisit(browser, stage.web.url);
    const { page } = visit;
    for (const address of STILL) {
      await page.goto(address);
      expect(await page.evaluate('document.body.dataset.events ?? null'), address).toBeNull();
    }
    await visit.close();
  });
});

async function runUntilTomorrow(history: History): Promise<void> {
  const { clock } = history.world;
  const today = clock.now().getUTCDate();
  while (clock.now().getUTCDate() === today) await history.runNextSlot();
}

/** What events brought is what a new page says. */
async function expectSameAfterReload(page: Page, address: string): Promise<void> {
  const shown = await page.evaluate<string[]>(CONTENT);
  await page.reload();
  await page.locator('body[data-zone="Europe/Berlin"]').waitFor();
  expect.soft(await page.evaluate<string[]>(CONTENT), address).toEqual(shown);
}

type Place = { name: string; x: number; y: number; width: number; height: number };

/** The position of each part of the page, in pixels from its top. */
async function placesOf(page: Page): Promise<Place[]> {
  return page.evaluate<Place[]>(PLACES);
}

/** The parts and their columns: a longer list must not change these. */
function columnsOf(places: readonly Place[]): string[] {
  return places
    .filter(({ name }) => !COMING_AND_GOING.has(name))
    .map(({ name, x, width }) => `${name}: ${x}, ${width}`);
}

/** Present only if there is something to say. */
const COMING_AND_GOING: ReadonlySet<string> = new Set(['unusual', 'amiss']);

async function picture(page: Page, address: string, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  const file = path.join(PICTURES, `live${address.replaceAll(/\W+/g, '-')}-${name}.png`);
  await page.screenshot({ path: file });
}

/** What a page says, by line, without what is only a clock and what the script adds to show it. */
const CONTENT = `(() => {
  const main = document.querySelector('main').cloneNode(true);
  for (const one of main.querySelectorAll('.plot')) one.replaceChildren();
  for (const one of main.querySelectorAll('time')) one.replaceChildren();
  for (const one of main.querySelectorAll('[name="form_token"]')) one.removeAttribute('value');
  for (const one of main.querySelectorAll('[tabindex="-1"]')) one.removeAttribute('tabindex');
  return main.innerHTML.split(/(?=<)/);
})()`;

const PLACES = `[...document.querySelectorAll('main section, main [data-live], footer')].map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  const name = one.id || one.dataset.live || one.localName;
  return { name, ...Object.fromEntries(Object.entries({ x, y: y + scrollY, width, height }).map(([k, v]) => [k, Math.round(v)])) };
})`;

/** Layout shifts reported by the browser, without those caused by input. */
const NOTE_SHIFTS = `globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) shifts.push(
      one.value + ': ' + one.sources.map(({ node }) => (node?.parentElement?.outerHTML ?? 'gone').slice(0, 120)).join(' | '));
  }).observe({ type: 'layout-shift' });`;

/** Events arrive when the test sends them, as in a browser without shared workers. */
const EVENTS_BY_HAND = `delete globalThis.SharedWorker;
globalThis.EventSource = class extends EventTarget {
  constructor() { super(); globalThis.source = this; }
  close() {}
};
globalThis.fetches = [];
const { fetch } = globalThis;
globalThis.fetch = (...request) => {
  const response = fetch(...request);
  fetches.push(response);
  return response;
};`;

/** What the script does to show a page anew; bytes on the way, of which a 304 has those of its head, and in the page. */
const FETCH_TWICE = `(async () => {
  performance.clearResourceTimings();
  for (let i = 0; i < 2; i += 1) await (await fetch(location.href, { headers: { accept: 'text/html' } })).text();
  return performance.getEntriesByType('resource').filter(({ name }) => name === location.href)
    .map(({ transferSize, decodedBodySize }) => ({ sent: transferSize, held: decodedBodySize }));
})()`;

const FOCUSED = `document.activeElement.closest('section')?.id`;
