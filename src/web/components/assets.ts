/** Routes of style sheets and scripts. */

import { Refused } from '../../model/errors.ts';
import { isUnchanged } from '../../monitor/http/conditional-requests.ts';
import type { App } from '../../monitor/http/route-types.ts';
import { findAsset, IMMUTABLE_CACHE } from './asset-files.ts';
import { z } from 'zod';

export function addAssetRoutes(app: App): void {
  const schema = { params: z.object({ file: z.string() }) };
  app.get('/assets/:file', { schema, config: { scope: 'open' } }, async (request, reply) => {
    const asset = findAsset(request.params.file);
    if (asset === undefined) throw new Refused('not_found', 'no such file; reload the page');
    reply.header('cache-control', IMMUTABLE_CACHE);
    if (isUnchanged(request, reply, asset.hash)) return reply.code(304).send();
    return reply.type(asset.type).send(asset.body);
  });
}
