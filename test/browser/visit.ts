/** A person at the browser, and an observer who records what must not happen. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { createToken, OPERATOR, revokeToken } from '../../src/monitor/access/manage-tokens.ts';
import type { ActingContext } from '../../src/monitor/context.ts';

export type Visit = {
  page: Page;
  /**
   * Errors since the last call: scripts and styles blocked by the policy, script errors, dialogs,
   * requests to another host, responses with 5xx.
   */
  troubles(): string[];
  close(): Promise<void>;
};

export const WIDE = { width: 1440, height: 900 };
/** The narrowest with two columns side by side. */
export const TABLET = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };
/** The narrowest supported phone, which equals a page at 200 % on a small screen. */
export const NARROW = { width: 320, height: 640 };

/** @param origin the only host that may receive requests */
export async function openVisit(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: WIDE, baseURL: origin, ...options });
  // As long as a hook may take: a busy machine is not a failure.
  context.setDefaultTimeout(120_000);
  const noted: string[] = [];
  await noteTroubles(context, origin, noted);
  const page = await context.newPage();
  return { page, troubles: () => noted.splice(0), close: () => context.close() };
}

/** Loads a page; the one to sign in at is shown only while a token is valid. */
export async function load(page: Page, address: string, ctx: ActingContext): Promise<Response | null> {
  if (!address.startsWith('/sign-in')) return page.goto(address);
  const { prefix } = await createToken(ctx, { name: 'the way in', scopes: ['read'] }, OPERATOR);
  try {
    return await page.goto(address);
  } finally {
    await revokeToken(ctx, prefix);
  }
}

async function noteTroubles(context: BrowserContext, origin: string, noted: string[]): Promise<void> {
  await context.exposeFunction('noteViolation', (words: string) => noted.push(`policy: ${words}`));
  await context.addInitScript(`
    document.addEventListener('securitypolicyviolation', (event) =>
      noteViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile));
  `);
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:')
      noted.push(`another host: ${request.url()}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 500) noted.push(`${response.status()}: ${response.url()}`);
  });
  context.on('weberror', (error) => noted.push(`script: ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error') noted.push(`console: ${message.text()}`);
  });
  context.on('dialog', (dialog) => {
    noted.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

/** Accessibility barriers: each violated rule, and where. */
export async function barriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE);
  return page.evaluate<string[]>(BROKEN_RULES);
}

/** Loaded once per opened page; it may be checked several times. */
const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * axe checks target sizes (WCAG 2.2, 2.5.8) only if the rule is named. What it would load first, style sheets as texts and
 * media, is for rules on rotation, which is not checked, and on sound, which no page has.
 */
const BROKEN_RULES = `axe.run(document, { resultTypes: ['violations'], preload: false, rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => {
    const where = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160));
    return id + ': ' + help + ' (' + nodes.length + '): ' + where.join(' | ');
  }))`;
