/** A person at the browser, and somebody beside who notes what must not happen. */
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export type Visit = {
  page: Page;
  /**
   * What went wrong since it was last asked: scripts and styles that the policy refused, errors of scripts, dialogs
   * that opened, requests to another host, answers of 5xx.
   */
  troubles(): string[];
  close(): Promise<void>;
};

export const WIDE = { width: 1440, height: 900 };
/** The narrowest on which two columns stand beside each other. */
export const TABLET = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };
/** The narrowest telephone that is still carried, and so a page at 200 % on a small screen. */
export const NARROW = { width: 320, height: 640 };

/** @param origin the only host that may be asked for anything */
export async function openVisit(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: WIDE, baseURL: origin, ...options });
  // As long as a hook may take: a busy machine is no failure.
  context.setDefaultTimeout(120_000);
  const noted: string[] = [];
  await noteTroubles(context, origin, noted);
  const page = await context.newPage();
  return { page, troubles: () => noted.splice(0), close: () => context.close() };
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

/** What stands in the way of people who read or move otherwise: each rule that is broken, and where. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(BROKEN_RULES);
}

/** Loaded once for each page that is opened; it may be looked at several times. */
const AXE = `if (globalThis.axe === undefined) { ${axe.source} }`;

/** Beside its usual rules axe is asked for the size of targets (WCAG 2.2, 2.5.8), which it leaves out unless it is named. */
const BROKEN_RULES = `axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => {
    const where = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160));
    return id + ': ' + help + ' (' + nodes.length + '): ' + where.join(' | ');
  }))`;
