/** The first ten minutes of a new user: from the first page to a saved search and its results, and on from there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MINUTE } from '../../src/lib/time.ts';
import { REPOSITORY } from '../house/sources.ts';
import { programOf } from '../programs.ts';
import { makeDirectory } from '../temporary.ts';
import { hasBrowser, openBrowser } from './browser.ts';
import { openVisit, type Visit } from './visit.ts';

describe.skipIf(!hasBrowser())('a new user', () => {
  let directory: string;
  let program: ChildProcess;
  let browser: Browser;
  let visit: Visit;

  beforeAll(async () => {
    directory = await makeDirectory();
    program = spawn(process.execPath, [programOf('src/main.ts'), 'up'], {
      cwd: REPOSITORY,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        STRANDLINE_DATA_DIR: path.join(directory, 'home'),
        PORT: '0',
        SERVICE_PORT: '0',
        SERVICE_SOURCES: 'sandbox',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [address, opened] = await Promise.all([addressOf(program), openBrowser()]);
    if (opened === undefined) throw new Error('there was a browser a moment ago');
    browser = opened;
    visit = await openVisit(browser, address);
  });

  afterAll(async () => {
    await visit?.close();
    await browser?.close();
    const ended = once(program, 'exit');
    program.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  });

  test('creates a topic, sees results arrive, and opens other pages', async () => {
    const { page } = visit;
    await page.goto('/');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
    await page.getByLabel('What should be watched?').waitFor();

    // There is no public source here; in the sandbox, a topic of one's own works, too.
    await page.getByRole('link', { name: '/sandbox', exact: true }).first().click();
    await page.waitForURL('**/sandbox');

    // Try a text, then watch it.
    await page.goto('/sandbox/new');
    await page.getByLabel('What do you want to watch?').fill('cargo bikes');
    await page.getByRole('button', { name: 'Try it now' }).click();
    await page.getByRole('heading', { name: /^Trial/ }).waitFor();
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.waitForURL('**/sandbox/topics/cargo-bikes*');

    // Results of the first run arrive without a reload: immediately on an empty page, otherwise behind a button.
    const note = page.getByRole('button', { name: /^Show \d+ new/ });
    const arrived = async (found: Locator) => {
      await found.or(note).first().waitFor();
      if (!(await found.isVisible())) await note.click();
    };
    await arrived(page.locator('main a[href^="/sandbox/posts/"], main a[href^="/sandbox/links/"]').first());

    // The newest items of the topic may all be links; the microblog search has posts.
    await page.getByText('2 searches', { exact: true }).click();
    await page.locator('main a[href="/sandbox/searches/cargo-bikes-posts"]').first().click();
    await page.waitForURL('**/sandbox/searches/cargo-bikes-posts*');
    const post = page.locator('main a[href^="/sandbox/posts/"]').first();
    await arrived(post);
    await post.click();
    await page.waitForURL('**/sandbox/posts/*');
    expect(await page.locator('main').textContent()).toMatch(/cargo|bike/i);

    // Full-text search finds it.
    await page.goto('/sandbox/explore?q=cargo+bikes');
    await expect.poll(() => page.locator('main mark').count()).toBeGreaterThan(0);

    await page.goto('/sandbox/runs');
    await page.locator('main a[href^="/sandbox/runs/"]:not([href$="/costs"])').first().click();
    await page.waitForURL('**/sandbox/runs/*');
    expect(await page.locator('main').textContent()).toMatch(/succeeded/);
    expect(visit.troubles()).toEqual([]);
  });

  test(
    'finds a finished fortnight in the sandbox, and nothing of it beside it',
    async () => {
      const { page } = visit;
      const { origin } = new URL(page.url());
      const ask = async (side: string, sql: string) => {
        const reply = await fetch(`${origin}${side}/api/v1/sql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ sql }),
        });
        return z.object({ rows: z.array(z.array(z.unknown())) }).parse(await reply.json()).rows;
      };
      // Its searches are active again when all of it is there.
      const isActive = `select count(*) from searches where topic like 'sample-%' and state = 'active'`;
      await expect.poll(() => ask('/sandbox', isActive), { timeout: 3 * MINUTE }).toEqual([[3]]);
      const counts = `select (select count(*) >= 2 from spikes where measure = 'posts'), (select count(*) > 5 from completions where changed)`;
      expect(await ask('/sandbox', counts)).toEqual([[true, true]]);
      const real = `select (select count(*) from topics), (select count(*) from runs), (select count(*) from spikes), (select count(*) from rules where slug <> 'system')`;
      expect(await ask('', real)).toEqual([[0, 0, 0, 0]]);

      await page.goto('/sandbox');
      await page.getByText('everything here is simulated').waitFor();
      await page.goto('/sandbox/digests');
      await page.getByRole('link', { name: 'Weekly digest' }).waitFor();
      await page.locator('main table a[href^="/sandbox/digests/"]').first().click();
      await page.waitForURL('**/sandbox/digests/1');
      const digest = await page.locator('main').textContent();
      expect(digest).toMatch(/sent to nobody: no channel was active/);
      expect(digest).toMatch(/spike/);
      expect(digest).not.toMatch(/paused/i);
      expect(visit.troubles()).toEqual([]);
    },
    4 * MINUTE,
  );

  test('works with the keyboard only, with visible focus and without animation', async () => {
    const still = await openVisit(browser, new URL(visit.page.url()).origin, { reducedMotion: 'reduce' });
    const { page } = still;
    await page.goto('/');
    await tabTo(page, /^Skip/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);

    await page.goto('/');
    await tabTo(page, /^What should be watched/);
    await tabTo(page, /^\/sandbox$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sandbox');
    await tabTo(page, /^Go to$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^New topic$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sandbox/new');
    await tabTo(page, /^What do you want to watch/);
    await page.keyboard.type('harbour seals');
    await tabTo(page, /^Watch$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sandbox/topics/harbour-seals*');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('harbour seals');
    expect(still.troubles()).toEqual([]);
    await still.close();
  });
});

/** More tab stops than the page of a new installation has. */
const STOPS_MOST = 80;
/** After the last tab stop, focus leaves the page and no element has it. */
const STOP = `(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { width, height } = one.getBoundingClientRect();
  return {
    name: one === document.body ? '' : (one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent).trim(),
    seen: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && width > 1 && height > 1,
  };
})()`;

/** Presses Tab until an element with this name has focus; focus must be visible at every stop. */
async function tabTo(page: Page, words: RegExp): Promise<void> {
  for (let i = 0; i < STOPS_MOST; i += 1) {
    await page.keyboard.press('Tab');
    const { name, seen } = await page.evaluate<{ name: string; seen: boolean }>(STOP);
    expect.soft(seen, `${page.url()}: "${name.slice(0, 60)}" shows its focus`).toBe(true);
    if (words.test(name)) return;
  }
  throw new Error(`not reachable by keyboard: ${String(words)} on ${page.url()}`);
}

/** The address of the dashboard, once the program prints it; later output is read and dropped. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('its stdout is not ours');
  const lines = createInterface({ input: stdout });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const [, address] = /dashboard\s+(http\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    lines.on('close', () => reject(new Error('it ended before it said where the dashboard is')));
  });
}
