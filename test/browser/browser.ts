/** A real browser, if the machine has one. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** First the one without windows and what belongs to them: it draws pages the same, with two thirds of the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];

/** Drawn without a graphics card's stand-in, and pages of one site in one process: there is no window to be quick in. */
const CHEAP = ['--disable-gpu', '--disable-software-rasterizer', '--renderer-process-limit=1'];

/**
 * Starts it headless.
 * @returns undefined if there is none on the PATH, unless `STRANDLINE_REQUIRE` names `chromium`
 */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = findBrowser();
  if (executablePath !== undefined) {
    // Its own sandbox is not available as root; it only shows our own pages on loopback.
    const args = [...CHEAP, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
    return chromium.launch({ executablePath, args });
  }
  if (isRequired('chromium')) throw new Error('STRANDLINE_REQUIRE=chromium, but no browser was found');
  return undefined;
}

/** Whether tests that need one can run. */
export function hasBrowser(): boolean {
  return findBrowser() !== undefined || process.env['STRANDLINE_REQUIRE'] !== undefined;
}

/** Arabic, Devanagari, Thai, Chinese, and emoji. */
const SCRIPTS = ['ar', 'hi', 'th', 'zh-cn', 'und-zsye'];

/** Languages without an installed font: their pages show boxes, which are rarely as wide as the letters. */
export function scriptsWithoutFont(): string[] {
  return SCRIPTS.filter((lang) => {
    const { stdout } = spawnSync('fc-list', [`:lang=${lang}`, 'family'], { encoding: 'utf8' });
    // Empty if there is no such command.
    return (stdout ?? '') === '';
  });
}

/** Whether `STRANDLINE_REQUIRE` names it: CI must not pass by skipping half of the tests. */
export function isRequired(what: 'chromium' | 'fonts'): boolean {
  return process.env['STRANDLINE_REQUIRE']?.split(',').includes(what) === true;
}

function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
}
