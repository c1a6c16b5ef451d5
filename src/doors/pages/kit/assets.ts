/** What pages load beside themselves: each file at an address that names its content, so that it is kept for ever. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { Refused } from '../../../errors.ts';
import type { App } from '../../routes.ts';
import { isUnchanged } from './unchanged.ts';

const plotFolder = path.dirname(createRequire(import.meta.url).resolve('uplot'));
const ours = (name: string) => new URL(`../assets/${name}`, import.meta.url);

const FILES = {
  'style.css': { from: ours('style.css'), type: 'text/css; charset=utf-8' },
  'strandline.js': { from: ours('strandline.js'), type: 'text/javascript; charset=utf-8' },
  'uplot.js': { from: path.join(plotFolder, 'uPlot.iife.min.js'), type: 'text/javascript; charset=utf-8' },
  'uplot.css': { from: path.join(plotFolder, 'uPlot.min.css'), type: 'text/css; charset=utf-8' },
} as const;
type AssetName = keyof typeof FILES;

type Asset = { body: Buffer; type: string; hash: string };

/** Read once: a process serves the files that it began with. */
const byAddress = new Map<string, Asset>();
const addresses = new Map<string, string>();
for (const [name, { from, type }] of Object.entries(FILES)) {
  const body = readFileSync(from);
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  const [stem, ending] = name.split('.');
  const address = `${stem}.${hash}.${ending}`;
  byAddress.set(address, { body, type, hash });
  addresses.set(name, `/assets/${address}`);
}

/** Where a page finds a file. */
export function assetAt(name: AssetName): string {
  return addresses.get(name) ?? '';
}

const FOR_EVER = 'public, max-age=31536000, immutable';

export function assetRoutes(app: App): void {
  const schema = { params: z.object({ file: z.string() }) };
  app.get('/assets/:file', { schema, config: { scope: 'open' } }, async (request, reply) => {
    const asset = byAddress.get(request.params.file);
    if (asset === undefined) throw new Refused('not_found', 'no such file; load the page again');
    reply.header('cache-control', FOR_EVER);
    if (isUnchanged(request, reply, asset.hash)) return reply.code(304).send();
    return reply.type(asset.type).send(asset.body);
  });
}
