/** Every page in two settings: light on a wide screen, and dark on a phone. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { derivePending } from '../../src/monitor/derive/follower.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { setName } from '../../src/monitor/names/manage-names.ts';
import { SourceDown } from '../../src/service/sources/outage.ts';
import { addPageRoutes } from '../../src/web/page-routes.ts';
import { homeOf } from '../cli/stand.ts';
import { KEY, startForTest } from '../service/running.ts';
import { foundItem, stubSource } from '../service/stub-source.ts';
import { hasBrowser, openBrowser } from './browser.ts';
import { type Checked, checkPage, EYES, openChecked, TOO_WIDE } from './page-check.ts';
import type { Ids, Stage } from './stage.ts';
import { barriers, NARROW, openVisit, PHONE, WIDE } from './visit.ts';

type Row = readonly [name: string, address: string | ((ids: Ids) => string), status?: number];

const PAGES: readonly Row[] = [
  ['overview', '/'],
  ['overview of a week', '/?range=7d'],
  ['overview of a range', '/?from=2026-11-20&to=2026-11-21&q=train'],
  ['saved views', '/views'],
  ['save view', '/views/new?address=/topics/trains?range=7d'],
  ['shared pages', '/shares'],
  ['share a page', '/shares/new?address=/topics/trains?range=7d'],
  ['shared topic', ({ shared }) => `/shared/${shared}`],
  ['shared answers', ({ sharedAnswers }) => `/shared/${sharedAnswers}`],
  ['shared overview', ({ sharedOverview }) => `/shared/${sharedOverview}`],
  ['mute selected topics', '/selection?do=mute&topics=trains,buses'],
  ['label selected topics', '/selection?do=label&topics=trains,buses'],
  ['remove selected topics', '/selection?do=remove&topics=trains,buses'],
  ['topic', '/topics/trains'],
  ['topic over a day', '/topics/buses?range=24h'],
  ['window of a topic', '/topics/trains?range=30d&from=2d&to=1d&tab=posts&earlier=yes'],
  ['answers of a topic', '/topics/trains?range=30d&tab=answers'],
  ['voices of a topic', '/topics/trains?range=7d&tab=voices'],
  ['first page of a topic', '/topics/harbour-seals'],
  ['search for posts', '/searches/trains-posts'],
  ['search with AI', '/searches/trains-ai?range=30d'],
  ['posts of a topic', '/topics/trains/posts?sort=growth'],
  ['posts of a search', '/searches/trains-posts/posts?q=is:post&from=2026-11-20T08:00Z&to=2026-11-20T20:00Z'],
  ['posts with a wrong query', '/topics/trains/posts?q=lnag:en', 400],
  ['links of a topic', '/topics/trains/links?range=all'],
  ['links of a search', '/searches/trains-ai/links'],
  ['discoveries of a topic', '/topics/trains/discoveries'],
  ['discoveries of a search', '/searches/trains-ai/discoveries?range=30d'],
  ['sources of a topic', '/topics/trains/sources'],
  ['emerging names of a topic', '/topics/trains/emerging'],
  ['names in answers of a topic', '/topics/trains/names'],
  ['notes of a topic', '/topics/trains/notes'],
  ['goal of a topic', '/topics/trains/goal'],
  ['edit a topic', '/topics/trains/edit'],
  ['edit a search', '/searches/trains-posts/edit'],
  ['pause everything', '/pause'],
  ['pause a topic', '/topics/trains/pause'],
  ['pause a search', '/searches/trains-posts/pause'],
  ['remove a topic', '/topics/trains/remove'],
  ['remove a search', '/searches/buses-posts/remove'],
  ['purge a topic', '/topics/trains/purge'],
  ['purge a search', '/searches/buses-posts/purge'],
  ['completions of a search', '/searches/trains-ai/completions'],
  ['post', ({ post }) => `/posts/${post}`],
  ['post of a story', ({ copied }) => `/posts/${copied}`],
  ['link', ({ link }) => `/links/${link}`],
  ['stories of a topic', '/topics/trains/stories'],
  ['story', ({ story }) => `/stories/${story}`],
  ['evidence of a post', ({ post }) => `/evidence/post/${post}`],
  ['evidence of an answer', ({ succeeded }) => `/evidence/completion/${succeeded}`],
  ['author', ({ author }) => `/authors/${author}`],
  ['runs', '/runs'],
  ['costs', '/runs/costs'],
  ['succeeded run', ({ succeeded }) => `/runs/${succeeded}`],
  ['failed run', ({ failed }) => `/runs/${failed}`],
  ['skipped run', ({ skipped }) => `/runs/${skipped}`],
  ['compare, nothing selected', '/compare'],
  ['compare', '/compare?topics=trains,buses'],
  ['explore without a query', '/explore'],
  ['explore', '/explore?q=post'],
  ['explore without matches', '/explore?q=submarine'],
  ['explore with SQL', '/explore/sql'],
  ['digests', '/digests'],
  ['past digest', ({ digest }) => `/digests/${digest}`],
  ['not relevant', ({ post }) => `/topics/trains/dismissed?post=${post}`],
  ['alerts', '/alerts'],
  ['mute', '/alerts/mute'],
  ['rule', '/alerts/rules/trains-at-night'],
  ['past of a rule', '/alerts/rules/trains-at-night/past'],
  ['fewer messages of a rule', '/alerts/rules/trains-at-night/fewer'],
  ['remove a rule', '/alerts/rules/trains-at-night/remove'],
  ['new rule', '/alerts/rules/new'],
  ['channel', '/alerts/channels/ops'],
  ['remove a channel', '/alerts/channels/ops/remove'],
  ['new channel', '/alerts/channels/new'],
  ['feeds', '/alerts/feeds'],
  ['deliveries', '/alerts/deliveries'],
  ['delivered message', ({ sent }) => `/alerts/deliveries/${sent}`],
  ['pending delivery', ({ unsent }) => `/alerts/deliveries/${unsent}`],
  ['system', '/system'],
  ['tokens', '/system/tokens'],
  ['audit log', '/system/audit'],
  ['API', '/docs'],
  ['API, one section', '/docs?tag=topics'],
  ['new topic', '/new'],
  ['new search', '/new?topic=trains'],
  ['sign in', '/sign-in'],
  ['nothing', '/nowhere', 404],
];

/** Not pages: files, a raw response, parts of a form, health and metrics. */
const FILES =
  /^\/(?:digests\/markdown|digests\/:id\/markdown|assets\/:file|runs\/:id\/answer|new\/forecast|searches\/:slug\/forecast|evidence\/:kind\/:id\/file|livez|readyz|readyz\/parts|metrics|watch\.yaml)$/;

describe.skipIf(!hasBrowser())('every page', () => {
  let browser: Browser;
  let stage: Stage;
  let checked: Checked;

  beforeAll(async () => {
    checked = await openChecked();
    ({ browser, stage } = checked);
    await listNames(stage);
    await watchFirst(stage);
  });
  afterAll(() => checked?.close());

  test('every route with a page is in the table', async () => {
    const routes = await buildHttpServer(homeOf(stage.history.world), { api: [], pages: [addPageRoutes] });
    const addresses = PAGES.map(([, address]) =>
      typeof address === 'string' ? address : address(stage.ids),
    );
    const isVisited = (url: string) => {
      const pattern = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/?]+')}(?:\\?.*)?$`);
      return addresses.some((address) => pattern.test(address));
    };
    const pages = routes.routeTable.filter(({ method, url }) => method === 'GET' && !FILES.test(url));
    await routes.close();
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.map(({ url }) => url).filter((url) => !isVisited(url))).toEqual([]);
  });

  test('accessibility barriers are detected', async () => {
    const { page } = await openVisit(browser, stage.web.url);
    await page.goto('/new');
    expect(await barriers(page)).toEqual([]);
    await page.evaluate(`document.querySelector('main').innerHTML += '<p id="faint">faint</p><img>';
      Object.assign(faint.style, { color: '#ccc', background: '#fff' })`);
    expect((await barriers(page)).map((one) => one.split(':')[0])).toEqual(['color-contrast', 'image-alt']);
    await page.context().close();
  });

  test('chart labels have the same size on high-density screens', async () => {
    const fine = await openVisit(browser, stage.web.url, { viewport: PHONE, deviceScaleFactor: 2 });
    await fine.page.addInitScript(NOTE_FONTS);
    await fine.page.goto('/topics/trains');
    await fine.page.locator('.plot canvas').first().waitFor();
    const sizes = await fine.page.evaluate<number[]>('fonts.map(parseFloat)');
    expect(sizes.length).toBeGreaterThan(0);
    // In pixels of the screen, of which two are one of the page.
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2 * 11);
    await fine.close();
  });

  test('charts are drawn in colors that a canvas takes, and incomplete values paler', async () => {
    const drawn = await openVisit(browser, stage.web.url);
    const { page } = drawn;
    await page.addInitScript(NOTE_COLORS);
    await page.goto('/topics/trains');
    await page.locator('.plot canvas').first().waitFor();
    expect(await page.locator('.chart data.pale').count()).toBeGreaterThan(0);
    const colors = await page.evaluate<string[]>('[...new Set(colors)]');
    expect(await page.evaluate(`colors.filter((color) => !CSS.supports('color', color))`)).toEqual([]);
    expect(colors.filter((color) => color.includes('45%'))).toHaveLength(1);
    await drawn.close();
  });

  test('a chart is as wide as its place, also after the window changes', async () => {
    const { page } = await openVisit(browser, stage.web.url);
    await page.goto('/topics/trains');
    for (const size of [WIDE, PHONE]) {
      await page.setViewportSize(size);
      await expect.poll(() => page.evaluate(CHART_WIDTHS)).toEqual(['its place']);
    }
    await page.context().close();
  });

  test('the number of copies in a list leads to the story, which lists them', async () => {
    const { page } = await openVisit(browser, stage.web.url, { viewport: PHONE });
    await page.goto('/topics/trains/discoveries?range=30d');
    const note = page.getByRole('link', { name: /^×\d+/ }).first();
    const [count = ''] = /^×\d+/.exec((await note.textContent()) ?? '') ?? [];
    await note.click();
    const items = page.locator('#items tbody tr');
    await items.first().waitFor();
    expect(await page.locator('main').textContent()).toContain(`${count}, `);
    expect(await items.count()).toBeGreaterThanOrEqual(Number(count.slice(1)));
    await page.context().close();
  });

  test('a zoomed chart labels its bars by the table, and nothing covers them', async () => {
    const { page } = await openVisit(browser, stage.web.url, { timezoneId: 'Asia/Kathmandu' });
    await page.addInitScript(NOTE_WORDS);
    await page.goto('/topics/trains/posts?range=7d');
    await page.locator('.plot canvas').first().waitFor();
    const chart = page.locator('#volume .chart');
    await chart.locator('.u-over').waitFor();
    // It is drawn again when its width is known, so it may have no place for a moment.
    const place = await vi.waitUntil(() => chart.locator('.u-over').boundingBox(), 30_000);
    await page.evaluate('words.length = 0');
    await page.mouse.move(place.x + place.width * 0.7, place.y + 50);
    await page.mouse.down();
    await page.mouse.move(place.x + place.width * 0.9, place.y + 50, { steps: 3 });
    await page.mouse.up();
    await chart.getByRole('button', { name: 'Reset zoom' }).waitFor();
    // As in the table: hours begin at 45 minutes past.
    const labels = await page.evaluate<string[]>(`words.filter((one) => one.startsWith('\u00a0'))`);
    expect(labels.length).toBeGreaterThan(2);
    for (const label of labels) expect(label.trim()).toMatch(/^(?:\d\d:45|\d{1,2} \w+(?: \d{4})?)$/);
    const covered = await chart.locator('.zoom').boundingBox();
    expect(covered?.y).toBeGreaterThanOrEqual(place.y + place.height);
    await page.context().close();
  });

  test('dragging over the chart of a topic, a bar or a spike chooses a window, which is in the address', async () => {
    const chosen = await openVisit(browser, stage.web.url);
    const { page } = chosen;
    await page.goto('/topics/trains?tab=posts');
    const over = page.locator('#volume .u-over');
    const place = await vi.waitUntil(() => over.boundingBox(), 30_000);
    const heading = () => page.locator('#changed .section-head').textContent();
    const whole = await heading();
    const dragged = page.waitForURL(/\?tab=posts&from=.*&to=/);
    await page.mouse.move(place.x + place.width * 0.5, place.y + 80);
    await page.mouse.down();
    await page.mouse.move(place.x + place.width * 0.7, place.y + 80, { steps: 3 });
    await page.mouse.up();
    await dragged;
    await expect.poll(heading).not.toBe(whole);
    // What is below follows, and the tab stays.
    expect(await page.locator('#list .tabs [aria-current]').first().textContent()).toBe('Posts');
    await page.locator('#list').getByRole('link', { name: 'All posts' }).waitFor();
    expect(await page.locator('#list a[href*="/posts?from="]').count()).toBe(1);
    await page.goBack();
    await expect.poll(heading).toBe(whole);
    // A spike is a link below the chart.
    const spiked = page.waitForURL(/from=.*&to=/);
    const spike = page.locator('#volume .marks a').first();
    const href = await spike.getAttribute('href');
    await spike.click();
    await spiked;
    await expect.poll(() => page.locator('#changed .spike').count()).toBeGreaterThan(0);
    expect(await page.evaluate(`document.activeElement.getAttribute('href')`)).toBe(href);
    await page.locator('#changed').getByRole('link', { name: 'Whole range' }).click();
    await expect.poll(heading).toBe(whole);
    expect(chosen.troubles()).toEqual([]);
    await chosen.close();
  });

  test('the page of a topic is one screen', async () => {
    const { page } = await openVisit(browser, stage.web.url);
    await page.goto('/topics/trains');
    await page.locator('.plot canvas').first().waitFor();
    const { height, stops } = await page.evaluate<{ height: number; stops: number }>(SCREEN);
    expect(height).toBeLessThan(1_700);
    expect(stops).toBeLessThan(70);
    await page.setViewportSize(PHONE);
    expect((await page.evaluate<{ height: number }>(SCREEN)).height).toBeLessThan(3_700);
    await page.context().close();
  });

  test.for(PAGES)(
    '%s has no layout or accessibility problem, light or dark, narrow or wide',
    async ([name, address, status = 200]) => {
      const asked = typeof address === 'string' ? address : address(stage.ids);
      await checkPage(checked, { name, address: asked, status });
    },
  );
});

/** Names that answers about trains are read for. */
async function listNames({ history: { world } }: Stage): Promise<void> {
  for (const [name, side] of [
    ['Night train', 'own'],
    ['A railway with a very long name that answers never write', 'rival'],
  ] as const)
    await setName(world.ctx, 'trains', { name, side, domains: [] });
}

/** A topic whose searches have run once. */
async function watchFirst({ history: { world } }: Stage): Promise<void> {
  const { created } = await watchTopic(world.ctx, { text: 'Harbour seals' });
  for (const { firstRunId } of created) await executeRun(world.ctx, firstRunId);
  await derivePending(world.ctx, { settleMs: null });
}

test.skipIf(!hasBrowser())(
  'the page of the search service has no layout or accessibility problem',
  async () => {
    const browser = await openBrowser();
    if (browser === undefined) throw new Error('there was a browser a moment ago');
    const title = 'Harbour seals have returned to the harbour of a town with a very long name';
    const service = await startForTest({
      sources: [
        stubSource('web', async ({ sent }) => {
          sent?.(`all:"harbour seals" AND all:${'harbour'.repeat(12)}`);
          return [foundItem('https://seals.example/1', { title, snippet: `${title}. ${title}, again.` })];
        }),
        stubSource('encyclopedia', async () => [], 'an-encyclopedia'),
        stubSource('preprint', () => Promise.reject(new SourceDown('source_timeout')), 'preprints'),
      ],
    });
    const visit = await openVisit(browser, service.url);
    const { page } = visit;
    const check = async (what: string) => {
      for (const { eyes, scheme, size } of EYES) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize(size);
        expect.soft(await page.evaluate(TOO_WIDE), `${what}, ${eyes}`).toEqual([]);
        expect.soft(await barriers(page), `${what}, ${eyes}`).toEqual([]);
      }
      await page.setViewportSize(NARROW);
      expect.soft(await page.evaluate(TOO_WIDE), `${what}, narrow`).toEqual([]);
    };
    await page.goto('/');
    await check('question');
    await page.locator('#prompt').fill('Where are the harbour seals?');
    await page.locator('#key').fill(KEY);
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.locator('.answer').waitFor();
    expect(await page.locator('.answer').textContent()).toContain('harbour');
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
    await check('answer');
    expect(visit.troubles()).toEqual([]);
    await browser.close();
    await service.close();
  },
);

/** Every font that is set to draw on a canvas, beginning with its size. */
const NOTE_FONTS = `globalThis.fonts = [];
  const { get, set } = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, 'font');
  Object.defineProperty(CanvasRenderingContext2D.prototype, 'font', {
    get,
    set(font) { fonts.push(font.slice(font.search(/[0-9.]+px/))); set.call(this, font); },
  });`;

/** Every text that is drawn on a canvas. */
const NOTE_WORDS = `globalThis.words = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (...given) {
    words.push(given[0]);
    return fillText.apply(this, given);
  };`;

/** Every color that is set to fill an area of a canvas; one that it does not take is ignored. */
const NOTE_COLORS = `globalThis.colors = [];
  const { get, set } = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, 'fillStyle');
  Object.defineProperty(CanvasRenderingContext2D.prototype, 'fillStyle', {
    get,
    set(color) { if (typeof color === 'string') colors.push(color); set.call(this, color); },
  });`;

/** `its place` for charts that are as wide as that, and the widths of others. */
const CHART_WIDTHS = `[...new Set([...document.querySelectorAll('.plot')].map((place) => {
  const { clientWidth } = place.querySelector('.uplot');
  return Math.abs(clientWidth - place.clientWidth) <= 1 ? 'its place' : clientWidth;
}))]`;

/** How tall the page is, and at how many places the Tab key stops. */
const SCREEN = `(() => ({
  height: document.documentElement.scrollHeight,
  stops: [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((one) => one.tabIndex >= 0 && one.checkVisibility() && one.getClientRects().length > 0).length,
}))()`;
