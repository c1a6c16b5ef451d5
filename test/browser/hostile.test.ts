/** Whatever others write, a page shows it as text: nothing is executed, requested or broken. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, isRequired, openBrowser, scriptsWithoutFont } from './browser.ts';
import { type HostileWorld, openHostileWorld, TEXTS } from './hostile-world.ts';
import { load, NARROW, openVisit, TABLET, type Visit, WIDE } from './visit.ts';

/** Of each kind of page (`/posts/:id`), how many are requested, and how many are opened in the browser. */
const ASKED = 6;
const OPENED = 1;
const BEGINNINGS = ['/', '/explore?q=ferry', '/explore?q=script', '/explore/sql', '/compare?topics=hostile'];

/** What a page must not contain: event handlers, foreign elements, addresses that are not web addresses. */
const INTRUDERS = `(() => {
  const found = [];
  if (globalThis.hit !== undefined) found.push('a script ran');
  for (const one of document.querySelectorAll('iframe, object, embed, base, meta[http-equiv], img, style, math, template'))
    found.push(one.outerHTML.slice(0, 200));
  for (const one of document.querySelectorAll('script, link, form, button'))
    for (const name of ['src', 'href', 'action', 'formaction']) {
      const given = one.getAttribute(name);
      if (given !== null && !given.startsWith('data:image/svg+xml') && new URL(given, location.href).origin !== location.origin)
        found.push(one.outerHTML.slice(0, 200));
    }
  for (const one of document.querySelectorAll('*'))
    for (const { name } of one.attributes)
      if (/^on/.test(name) || (name === 'style' && one.closest('.plot') === null)) found.push(one.outerHTML.slice(0, 200));
  for (const a of document.querySelectorAll('a')) {
    const url = new URL(a.href, location.href);
    if (url.origin === location.origin) continue;
    const rel = a.getAttribute('rel') ?? '';
    if (!/^https?:$/.test(url.protocol) || url.username !== '' || !/noopener.*noreferrer.*nofollow/.test(rel) || a.target !== '')
      found.push(a.outerHTML.slice(0, 200));
  }
  return found;
})()`;

/**
 * Elements wider than their container, with all details open: nobody should have to scroll the page sideways, and no
 * text may be cut off or overlap its neighbors. Tables, code and the header scroll by themselves.
 */
const TOO_WIDE = `(async () => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  // A chart is resized in the following frame.
  for (let i = document.querySelector('.plot') === null ? 2 : 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
  const found = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) found.push('the page by ' + over);
  for (const one of document.querySelectorAll('body *')) {
    if (one.closest('.scroll, .selection, pre, .places, .plot, .unseen, .skip, svg, input, textarea, select') !== null) continue;
    // A line that ends in an ellipsis hides the rest.
    const cut = one.parentElement.closest('.row .line-what, .lines a');
    if (cut !== null && getComputedStyle(cut).textOverflow === 'ellipsis') continue;
    const isCut = getComputedStyle(one).textOverflow === 'ellipsis';
    const { left, right } = one.getBoundingClientRect();
    const sticks = !isCut && getComputedStyle(one).display !== 'inline' && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1;
    if (left < -1 || right > innerWidth + 1 || sticks) found.push(one.outerHTML.slice(0, 120));
  }
  return found.slice(0, 1).concat(found.slice(1).slice(-2));
})()`;

describe.skipIf(!hasBrowser())('hostile content', () => {
  let hostile: HostileWorld;
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    const [opened, set] = await Promise.all([openBrowser(), openHostileWorld()]);
    if (opened === undefined) throw new Error('there was a browser a moment ago');
    browser = opened;
    hostile = set;
    visit = await openVisit(browser, hostile.web.url);
  });
  afterAll(async () => {
    await visit?.close();
    await browser?.close();
    await hostile?.close();
  });

  test('is collected: posts, links and failures arrive', async () => {
    const { rows } = await hostile.world.db.pool.query<Record<string, string>>(
      `SELECT (SELECT count(*) FROM strandline_analytics.posts) AS posts,
         (SELECT count(*) FROM strandline_analytics.links) AS links,
         (SELECT count(*) FROM strandline_analytics.runs WHERE status = 'failed') AS failed,
         (SELECT count(*) FROM strandline_analytics.deliveries WHERE attempts > 0) AS sent`,
    );
    const [{ posts, links, failed, sent } = {}] = rows;
    expect(Number(posts)).toBeGreaterThan(30);
    expect(Number(links)).toBeGreaterThan(15);
    expect([Number(failed), Number(sent)]).toEqual([4, 1]);
  });

  test.skipIf(!isRequired('fonts') && scriptsWithoutFont().length > 0)(
    'renders in the right script, without missing glyphs',
    () => {
      expect(scriptsWithoutFont()).toEqual([]);
    },
  );

  test('no page executes it, requests another host, or breaks', async () => {
    const { page } = visit;
    const pages = await crawl(hostile.web.url);
    const kinds = new Map<string, number>();
    for (const address of pages) {
      const kind = kindOf(address);
      const seen = kinds.get(kind) ?? 0;
      kinds.set(kind, seen + 1);
      if (seen >= OPENED) continue;
      await page.goto(address);
      expect.soft(await page.evaluate(INTRUDERS), address).toEqual([]);
      await expectRoom(page, address);
      expect.soft(visit.troubles(), address).toEqual([]);
    }
    expect(kinds.size).toBeGreaterThan(55);
    expect([...kinds.keys()]).toEqual(
      expect.arrayContaining(['/posts/:id', '/links/:id', '/authors/:id', '/runs/:id', '/topics/hostile']),
    );
  }, 300_000);

  test('no text overflows, in headings, names or lists', async () => {
    const { page } = visit;
    const { rows } = await hostile.world.db.pool.query<{ place: string }>(
      `WITH wide (text) AS (SELECT unnest($1::text[]))
       SELECT place FROM wide, LATERAL (
         SELECT '/links/' || min(id) AS place FROM strandline_analytics.links WHERE title = text
         UNION ALL SELECT '/authors/' || min(id) FROM strandline_analytics.authors WHERE username = text
         UNION ALL SELECT '/posts/' || min(id) FROM strandline_analytics.posts WHERE posts.text = 'ferry ' || wide.text
       ) AS places WHERE place IS NOT NULL`,
      [TEXTS.filter((text) => /[^ \n]{150}/.test(text))],
    );
    expect(rows.length).toBeGreaterThan(6);
    for (const { place } of rows) {
      await page.goto(place);
      await expectRoom(page, place);
    }
  });

  test('path parameters are escaped, or refused', async () => {
    const { page } = visit;
    await page.setViewportSize(WIDE);
    for (const text of [TEXTS[1], TEXTS[4], TEXTS[11]])
      for (const place of REFLECTING) {
        const address = place.replace('*', encodeURIComponent(text ?? ''));
        const answer = await load(page, address, hostile.world.ctx);
        expect.soft(answer?.status(), address).toBeLessThan(500);
        expect.soft(await page.evaluate(INTRUDERS), address).toEqual([]);
        const troubles = visit.troubles().filter((one) => !/status of 4\d\d/.test(one));
        expect.soft(troubles, address).toEqual([]);
      }
  });
});

/** The narrowest screen of each layout, to and fro: a page is loaded in the width that the one before was left in. */
let sizes = [NARROW, TABLET, WIDE];

async function expectRoom(page: Page, address: string): Promise<void> {
  sizes = sizes.toReversed();
  for (const size of sizes) {
    await page.setViewportSize(size);
    expect.soft(await page.evaluate(TOO_WIDE), `${address} ${size.width}`).toEqual([]);
  }
}

/** Where a page may show what its address says. */
const REFLECTING = [
  '/explore?q=*',
  '/sign-in?next=*',
  '/compare?topics=*',
  '/topics/*',
  '/runs?status=*',
  '/new?text=*',
];

/** What an address is one of: `/posts/:id` for every post. */
function kindOf(address: string): string {
  return address.replace(/\?.*/, '').replaceAll(/\d+/g, ':id');
}

/** Pages linked from our pages, a few of each kind; none may fail. */
async function crawl(origin: string): Promise<Set<string>> {
  const seen = new Set(BEGINNINGS);
  const asked = new Map<string, number>();
  for (const address of seen) {
    const kind = kindOf(address);
    asked.set(kind, (asked.get(kind) ?? 0) + 1);
    const answer = (asked.get(kind) ?? 0) > ASKED ? undefined : await fetch(origin + address);
    const html = (await answer?.text()) ?? '';
    if (answer !== undefined) expect.soft(answer.status, address).toBe(200);
    if (answer?.headers.get('content-type')?.startsWith('text/html') !== true) {
      if (answer !== undefined)
        expect.soft(answer.headers.get('x-content-type-options'), address).toBe('nosniff');
      seen.delete(address);
      continue;
    }
    for (const [, href = ''] of html.matchAll(/ href="(\/(?!\/|assets\/|api\/)[^"#]*)/g))
      seen.add(href.replaceAll('&amp;', '&'));
  }
  return seen;
}
