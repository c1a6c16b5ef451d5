/** A real browser, where the machine has one. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Starts it, without a window.
 * @returns undefined where there is none on the PATH, unless `STRANDLINE_REQUIRE` names `chromium`
 */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = findBrowser();
  if (executablePath !== undefined) {
    // Its own sandbox cannot be had as root; what it shows here are pages of ours on loopback.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    return chromium.launch({ executablePath, args });
  }
  if (process.env['STRANDLINE_REQUIRE']?.split(',').includes('chromium') === true)
    throw new Error('STRANDLINE_REQUIRE=chromium, but no browser was found');
  return undefined;
}

/** Whether tests that need one can run. */
export function hasBrowser(): boolean {
  return findBrowser() !== undefined || process.env['STRANDLINE_REQUIRE'] !== undefined;
}

function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
}
