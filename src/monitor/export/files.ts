import path from 'node:path';
import { readProvenance } from '../../store/export/provenance.ts';
import type { Resource } from '../../store/export/resources.ts';
import { type ExportFilter, findSearchIds } from '../../store/export/select.ts';
import { openSnapshot } from '../../store/export/snapshot.ts';
import type { Context } from '../context.ts';
import { type Aside, writeAside } from './aside.ts';
import { dataPackage, type Written } from './manifest.ts';
import { encodeResource, type Encoding } from './rows.ts';
import type { Target } from './target.ts';

/**
 * Resources as files beside a manifest, all of them of one moment. Everything is written out under other
 * names first; then the data take their places, the manifest last, so that a manifest whose hashes fit is whole.
 * @param what.signal ends it early: nothing is left behind, its reason is thrown
 * @throws Refused `not_found` for a search or topic that is not there, `conflict` where files cannot be written
 */
export async function exportFiles(
  ctx: Pick<Context, 'db' | 'clock'>,
  what: {
    resources: readonly Resource[];
    filter: ExportFilter;
    encoding: Encoding;
    target: Target;
    signal?: AbortSignal | undefined;
  },
): Promise<{ written: Written[]; manifest: string }> {
  const { resources, filter, encoding, target, signal } = what;
  const now = ctx.clock.now();
  const snapshot = await openSnapshot(ctx.db, signal);
  const asides: Aside[] = [];
  try {
    const searchIds = await findSearchIds(snapshot.client, filter);
    const written: Written[] = [];
    for (const resource of resources) {
      const name = target.file ?? `${resource}.${encoding.format}`;
      const { columns, bytes, rows } = await encodeResource(snapshot, {
        resource,
        filter,
        searchIds,
        encoding,
      });
      const aside = await writeAside(path.join(target.folder, name), bytes);
      asides.push(aside);
      written.push({
        resource,
        path: name,
        columns,
        rows: rows(),
        bytes: aside.bytes,
        sha256: aside.sha256,
      });
    }
    const searches = await readProvenance(snapshot.client, searchIds, filter, now);
    const manifest = path.join(target.folder, manifestName(target));
    const described = JSON.stringify(dataPackage({ written, searches, filter, encoding, now }), null, 2);
    asides.push(await writeAside(manifest, [Buffer.from(`${described}\n`)]));
    signal?.throwIfAborted();
    for (const aside of asides) await aside.place();
    return { written, manifest };
  } catch (error) {
    await Promise.all(asides.map((aside) => aside.discard()));
    throw error;
  } finally {
    await snapshot.close();
  }
}

function manifestName({ file }: Target): string {
  return file === undefined ? 'datapackage.json' : `${file}.datapackage.json`;
}
