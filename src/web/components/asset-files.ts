/**
 * Style sheets and scripts, at addresses that contain a content hash, so that browsers cache them permanently.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const uplotFolder = path.dirname(createRequire(import.meta.url).resolve('uplot'));
const locateAsset = (name: string) => new URL(`../assets/${name}`, import.meta.url);

const FILES = {
  'style.css': { from: locateAsset('style.css'), type: 'text/css; charset=utf-8' },
  'strandline.js': { from: locateAsset('strandline.js'), type: 'text/javascript; charset=utf-8' },
  'events.js': { from: locateAsset('events.js'), type: 'text/javascript; charset=utf-8' },
  'uplot.js': { from: path.join(uplotFolder, 'uPlot.iife.min.js'), type: 'text/javascript; charset=utf-8' },
  'uplot.css': { from: path.join(uplotFolder, 'uPlot.min.css'), type: 'text/css; charset=utf-8' },
} as const;
type AssetName = keyof typeof FILES;

type Asset = { body: Buffer; type: string; hash: string };

/** Read once at start. */
const assetsByFile = new Map<string, Asset>();
const pathsByName = new Map<string, string>();
for (const [name, { from, type }] of Object.entries(FILES)) {
  const body = readFileSync(from);
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  const [stem, ending] = name.split('.');
  const address = `${stem}.${hash}.${ending}`;
  assetsByFile.set(address, { body, type, hash });
  pathsByName.set(name, `/assets/${address}`);
}

/** The address of an asset. */
export function getAssetPath(name: AssetName): string {
  return pathsByName.get(name) ?? '';
}

/** @param file as in its address */
export function findAsset(file: string): Asset | undefined {
  return assetsByFile.get(file);
}

/** Of an address that contains the hash of its content. */
export const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';
