/**
 * Style sheets and scripts, at addresses that contain a content hash, so that browsers cache them permanently; and the
 * ETag check of assets and pages.
 */

import { Refused } from '../../domain/errors.ts';
import type { App } from '../../monitor/http/route-types.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';

const uplotFolder = path.dirname(createRequire(import.meta.url).resolve('uplot'));
const locateAsset = (name: string) => new URL(`../assets/${name}`, import.meta.url);

const FILES = {
  'style.css': { from: locateAsset('style.css'), type: 'text/css; charset=utf-8' },
  'strandline.js': { from: locateAsset('strandline.js'), type: 'text/javascript; charset=utf-8' },
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

const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';

export function addAssetRoutes(app: App): void {
  const schema = { params: z.object({ file: z.string() }) };
  app.get('/assets/:file', { schema, config: { scope: 'open' } }, async (request, reply) => {
    const asset = assetsByFile.get(request.params.file);
    if (asset === undefined) throw new Refused('not_found', 'no such file; reload the page');
    reply.header('cache-control', IMMUTABLE_CACHE);
    if (isUnchanged(request, reply, asset.hash)) return reply.code(304).send();
    return reply.type(asset.type).send(asset.body);
  });
}

const READ_METHODS = new Set(['GET', 'HEAD']);

/**
 * Sets the ETag and compares it with `If-None-Match`. The tag is weak: compression varies, and forms carry a new token
 * each time.
 * @param tag base64url
 * @returns whether to reply 304 without a body; always false, and without a tag, unless the method is GET or HEAD
 */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  if (!READ_METHODS.has(request.method)) return false;
  reply.header('etag', `W/"${tag}"`);
  // A base64url tag contains no quote, so a substring match is exact.
  const known = request.headers['if-none-match'];
  return known !== undefined && (known.trim() === '*' || known.includes(`"${tag}"`));
}
