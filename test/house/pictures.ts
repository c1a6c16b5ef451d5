/**
 * Takes the pictures of the README from a running dashboard that has the demo:
 *
 *   npm run -s docs:pictures -- http://127.0.0.1:7810/sandbox
 */
import path from 'node:path';
import { openBrowser } from '../browser/browser.ts';
import { REPOSITORY } from './sources.ts';

const PICTURES = [
  ['overview', ''],
  ['topic', '/topics/demo-night-trains?range=7d'],
] as const;

const address = process.argv[2] ?? 'http://127.0.0.1:7810/sandbox';
const browser = await openBrowser();
if (browser === undefined) throw new Error('no Chromium on the PATH');
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' });
  for (const [name, place] of PICTURES) {
    const response = await page.goto(address + place);
    if (response?.ok() !== true) throw new Error(`${place}: status ${response?.status()}`);
    await page.waitForTimeout(1500); // The charts are drawn by a script.
    await page.screenshot({ path: path.join(REPOSITORY, `docs/pictures/${name}.png`) });
  }
} finally {
  await browser.close();
}
