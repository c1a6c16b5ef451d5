/** A real browser, where the machine has one. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Drawn without a graphics card's stand-in, and pages of one site in one process: there is no window to be quick in. */
const CHEAP = ['--disable-gpu', '--disable-software-rasterizer', '--renderer-process-limit=1'];

/**
 * Starts it, without a window.
 * @returns undefined where there is none on the PATH, unless `STRANDLINE_REQUIRE` names `chromium`
 */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = findBrowser();
  if (executablePath !== undefined) {
    // Its own sandbox cannot be had as root; what it shows here are pages of ours on loopback.
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

/** Languages whose script no font here has: a page that shows it shows boxes, which are seldom as wide as its letters. */
export function scriptsWithoutFont(): string[] {
  return SCRIPTS.filter((lang) => {
    const { stdout } = spawnSync('fc-list', [`:lang=${lang}`, 'family'], { encoding: 'utf8' });
    // Nothing where there is no such command.
    return (stdout ?? '') === '';
  });
}

/** Whether `STRANDLINE_REQUIRE` names it: an automatic check must not pass by leaving half of it out. */
export function isRequired(what: 'chromium' | 'fonts'): boolean {
  return process.env['STRANDLINE_REQUIRE']?.split(',').includes(what) === true;
}

function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
}
