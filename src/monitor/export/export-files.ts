/** Exports as files with a manifest: written under temporary names, then renamed. */

import type { DatabaseKind } from '../../model/database-kind.ts';
import { InvalidInput, Refused } from '../../model/errors.ts';
import { readContinuation } from '../../store/export/export-cursor.ts';
import type { Resource } from '../../store/export/export-resources.ts';
import { type ExportFilter, findSearchIds } from '../../store/export/export-select.ts';
import { readProvenance } from '../../store/export/provenance.ts';
import { openSnapshot } from '../../store/export/snapshot.ts';
import type { Context } from '../context.ts';
import { composeManifest, nameData, parseManifest, type WrittenFile } from './export-manifest.ts';
import { assertIndexed, encodeResource, type Encoding } from './export-rows.ts';
import { type ExportTarget, type PendingFile, writePendingFile } from './export-target.ts';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes resources and a manifest from one snapshot. Everything is first written under temporary names, then renamed, the manifest
 * last, so that a manifest with matching hashes describes a complete export.
 * @param what.signal aborts: leaves no files behind and throws its reason
 * @throws Refused `not_found` for an unknown search or topic, `conflict` if files cannot be written, or if the folder has
 *   the manifest of other files
 */
export async function exportFiles(
  ctx: Pick<Context, 'db' | 'clock' | 'kind'>,
  what: {
    resources: readonly Resource[];
    filter: ExportFilter;
    encoding: Encoding;
    target: ExportTarget;
    signal?: AbortSignal | undefined;
  },
): Promise<{ written: WrittenFile[]; manifest: string }> {
  const { resources, filter, encoding, target, signal } = what;
  const now = ctx.clock.now();
  const files = resources.map((resource) => ({
    resource,
    path: target.file ?? `${resource}.${encoding.format}`,
  }));
  const manifest = path.join(target.folder, nameManifest(target));
  await assertReplaceable(manifest, files);
  await assertIndexed(ctx.db, filter);
  const snapshot = await openSnapshot(ctx.db, signal);
  const asides: PendingFile[] = [];
  try {
    const { client } = snapshot;
    const searchIds = await findSearchIds(client, filter);
    const cursor = await readContinuation(client, now);
    const searches = await readProvenance(client, searchIds, filter, now);
    const written: WrittenFile[] = [];
    for (const file of files) {
      const selection = { resource: file.resource, filter, searchIds, encoding, now };
      const { view, bytes, rows } = await encodeResource(snapshot, selection);
      const aside = await writePendingFile(path.join(target.folder, file.path), bytes);
      asides.push(aside);
      written.push({ ...file, view, rows: rows(), bytes: aside.bytes, sha256: aside.sha256 });
    }
    const described = composeManifest({
      kind: ctx.kind,
      cursor,
      written,
      searches,
      filter,
      encoding,
      now,
    });
    asides.push(await writePendingFile(manifest, [Buffer.from(`${JSON.stringify(described, null, 2)}\n`)]));
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

/** A manifest is replaced only with the files that it describes. @throws Refused `conflict` */
async function assertReplaceable(manifest: string, files: readonly { path: string }[]): Promise<void> {
  const text = await readFile(manifest, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const others = parseManifest(text)
    ?.resources.map((resource) => resource.path)
    .filter((name) => !files.some((file) => file.path === name));
  if (others?.length === 0) return;
  throw new Refused(
    'conflict',
    `${manifest} describes other files${others === undefined ? '' : ` (${others.slice(0, 3).join(', ')}${others.length > 3 ? ', ...' : ''})`}; export to another folder, or name a file: --out ${path.join(path.dirname(manifest), files[0]?.path ?? '')}`,
  );
}

/**
 * From when on an earlier export is continued. Its rows first seen before are not exported again.
 * @param location the manifest of the export, or its folder
 * @throws InvalidInput at `since` if there is none, if it has other data, or if the new export would replace it
 */
export async function readEarlierExport(
  location: string,
  kind: DatabaseKind,
  target: ExportTarget | undefined,
): Promise<Date> {
  const isFolder = (await stat(location).catch(() => undefined))?.isDirectory() === true;
  const manifest = isFolder ? path.join(location, nameManifest({ file: undefined })) : location;
  const refuse = (expected: string) => new InvalidInput([{ path: 'since', given: location, expected }]);
  const text = await readFile(manifest, 'utf8').catch(() => undefined);
  const earlier = text === undefined ? undefined : parseManifest(text);
  if (earlier === undefined) throw refuse('a time, or the manifest of an earlier export or its folder');
  const { cursor, data } = earlier.strandline;
  if (data !== nameData(kind)) throw refuse(`an export of this database; that one has ${data} data`);
  if (target !== undefined && path.resolve(target.folder, nameManifest(target)) === path.resolve(manifest))
    throw refuse('an export in another folder than --out, which the new one would replace');
  return new Date(cursor);
}

function nameManifest({ file }: Pick<ExportTarget, 'file'>): string {
  return file === undefined ? 'datapackage.json' : `${file}.datapackage.json`;
}
