/**
 * What people come for, from the overview in three clicks at most: by mouse, by keyboard, on a phone, and without scripts. A click is anything
 * that is pressed, such as a link, a box or Enter; writing is none.
 */
import type { Browser, Download, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { changeAll } from '../../src/monitor/topics/search-state.ts';
import { createTopic } from '../../src/monitor/topics/save-topic.ts';
import { json, startStub } from '../stub-service.ts';
import { hasBrowser, openBrowser } from './browser.ts';
import { openStage, type Stage } from './stage.ts';
import { openVisit, PHONE, type Visit, WIDE } from './visit.ts';

const MAX_CLICKS = 3;

type Step = (page: Page) => Locator;
/** Writes a text instead of pressing. */
type Writing = { field: Step; text: string };
type Task = readonly [name: string, steps: readonly (Step | Writing)[], answer: Step | 'download'];

const link = (name: string | RegExp) => (page: Page) => page.getByRole('link', { name }).first();
const button = (name: string | RegExp) => (page: Page) =>
  page.locator('main').getByRole('button', { name }).first();
const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first();
const box = (name: string) => (page: Page) => page.getByRole('checkbox', { name }).first();
const field = (name: string, text: string): Writing => ({
  field: (page) => page.locator('main').getByLabel(name, { exact: true }).first(),
  text,
});
const words = (text: RegExp) => (page: Page) => page.locator('main').getByText(text).first();
const at = (selector: string) => (page: Page) => page.locator(selector).first();
const place = (name: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });
const topic = at('#topics a[href="/topics/trains"]');
const ENTER: Step = (page) => page.locator(':focus');

const TASKS: readonly Task[] = [
  [
    'watch a topic',
    [
      field('What should be watched?', 'tide gauges {mode}'),
      button(/^(?:Watch|Continue)$/),
      button(/^Watch/),
    ],
    heading(/^tide gauges (?:mouse|keyboard|phone|no scripts)$/i),
  ],
  [
    'what is new since yesterday evening',
    [link('Since yesterday, 18:00')],
    words(/new stor(?:y|ies).* since yesterday, 18:00/),
  ],
  ['what caused a spike', [topic, at('#volume .marks a')], at('#changed .spike')],
  [
    'compare two topics',
    [box('Select trains'), box('Select buses'), button('Compare')],
    heading(/^Share of voice/),
  ],
  ['engagement curve', [topic, at('#list .is-post a[href^="/posts/"]')], heading('At equal age')],
  [
    'the answer, and what changed',
    [topic, at('#changed a[href*="/completions?"]')],
    at('#difference .claims li'),
  ],
  ['run again what failed', [button(/^Run again/)], words(/Run queued|already queued/)],
  [
    'pause everything',
    [place('Activity'), link('System'), button('Pause all')],
    words(/All searches are paused/),
  ],
  ['a rule, tried before it is saved', [topic, link('Alert me'), button('Preview')], heading(/ in 14 days$/)],
  [
    'find a text',
    [{ field: (page) => page.getByRole('searchbox', { name: /collected/ }), text: 'post' }, ENTER],
    heading(/^[\d,]+ matches/),
  ],
  [
    'export what is shown',
    [topic, at('.actions > summary'), at('.actions a[href*="/exports/posts?"]')],
    'download',
  ],
  ['share a page', [link('Share'), button('Create link')], words(/\/shared\/sh_/)],
  ['who said it first', [topic], heading('First post')],
  ['who is loudest, and whether they copy', [topic, link('Voices')], words(/copies/)],
  [
    'what is silent or down',
    [],
    (page) => page.locator('#topics tr', { hasText: 'Harbour ferry' }).getByText(/failing/),
  ],
  ['what a new item costs, by search', [place('Activity'), link('Costs')], words(/per new item/i)],
  [
    'at most five messages a day',
    [place('Alerts'), link('Trains at night'), field('Messages a day', '5'), button('Save')],
    words(/^Saved\./),
  ],
  ['save a view', [link('Save view'), field('Name', 'Mine by {mode}'), button('Save')], link(/^Mine by/)],
  [
    'write on a chart',
    [topic, at('#volume a[href*="/notes"]'), field('Note', 'Timetable changed by {mode}'), button('Add')],
    words(/Timetable changed by \w+/),
  ],
  ['this week against the week before', [topic, link('Period before')], words(/^7 days before$/)],
  [
    'mute over the weekend',
    [box('Select trains'), button('Mute'), field('Until', 'monday 9:00'), button('Mute')],
    words(/^Muted\./),
  ],
];

/** By Tab, or by arrow keys among others. */
const REACHED = ':focus:not([tabindex="-1"]), [data-roving] :focus';

const MODES = {
  mouse: { options: { viewport: WIDE }, press: (target: Locator) => target.click() },
  keyboard: {
    options: { viewport: WIDE },
    press: async (target: Locator) => {
      const page = target.page();
      const reach = async () => {
        await target.focus();
        return target.and(page.locator(REACHED)).count();
      };
      // A script may still be replacing the part of the page.
      await expect.poll(reach).toBe(1);
      await page.keyboard.press((await target.getAttribute('type')) === 'checkbox' ? 'Space' : 'Enter');
    },
  },
  phone: { options: { viewport: PHONE, hasTouch: true }, press: (target: Locator) => target.tap() },
  'no scripts': {
    options: { viewport: WIDE, javaScriptEnabled: false },
    press: (target: Locator) => target.click(),
  },
} as const;

describe.skipIf(!hasBrowser())('a person', () => {
  let browser: Browser;
  let stage: Stage;
  beforeAll(async () => {
    const [opened, set] = await Promise.all([openBrowser(), openStage()]);
    if (opened === undefined) throw new Error('there was a browser a moment ago');
    browser = opened;
    stage = set;
    await failOnce(stage);
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.close();
  });

  describe.each(['mouse', 'keyboard', 'phone', 'no scripts'] as const)('by %s', (mode) => {
    const { options, press } = MODES[mode];
    let visit: Visit;
    beforeAll(async () => {
      visit = await openVisit(browser, stage.web.url, options);
    });
    afterAll(() => visit?.close());

    // So that nothing below passes by a script.
    if (mode === 'no scripts')
      test('scripts are off', async () => {
        await visit.page.goto('/topics/trains');
        expect(await visit.page.locator('#volume .chart').count()).toBe(1);
        expect(await visit.page.locator('canvas').count()).toBe(0);
      });

    test.for(TASKS)('%s', async ([name, steps, answer]) => {
      const { page } = visit;
      await page.goto('/?range=7d');
      let clicks = 0;
      let download: Promise<Download> | undefined;
      for (const [i, step] of steps.entries()) {
        if (typeof step !== 'function') {
          const target = step.field(page);
          await target.fill(step.text.replace('{mode}', mode));
          await target.focus();
          continue;
        }
        clicks += 1;
        if (answer === 'download' && i === steps.length - 1) download = page.waitForEvent('download');
        if (step === ENTER) await page.keyboard.press('Enter');
        else await press(step(page));
      }
      expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
      if (answer === 'download') expect((await download)?.suggestedFilename()).toMatch(/\.csv$/);
      else await answer(page).waitFor({ state: 'visible' });
      if (name === 'pause everything') await changeAll(stage.history.world.ctx, 'resume');
      expect(visit.troubles()).toEqual([]);
    });
  });
});

/** A topic whose only search failed. */
async function failOnce({ history: { world } }: Stage): Promise<void> {
  const broken = await startStub();
  broken.answers(json({ detail: 'out of order' }, 500));
  const ctx = {
    ...world.ctx,
    endpoint: () => Promise.resolve({ baseUrl: broken.url, prefix: undefined, key: 'k' }),
  };
  const { created } = await createTopic(ctx, {
    name: 'Harbour ferry',
    slug: 'harbour-ferry',
    searches: [{ operation: 'microblog', prompt: 'harbour ferry', every: '1h' }],
  });
  for (const { firstRunId } of created) await executeRun(ctx, firstRunId);
  await broken.close();
}
