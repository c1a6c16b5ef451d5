import { readNewestDiscoveries } from '../../store/queries/discoveries.ts';
import type { Context } from '../../monitor/context.ts';
import type { Sample } from '../../monitor/http/route-types.ts';

const MAX_LINES = 5;

/** The newest posts that a sample topic found, for somebody who watches nothing yet. @returns null if it found none */
export async function readSampleLines(
  { db }: Pick<Context, 'db'>,
  { slug, name }: { slug: string; name: string },
): Promise<Sample | null> {
  const discoveries = await readNewestDiscoveries(db, { topic: slug, kind: 'post', limit: MAX_LINES });
  const lines = discoveries.map(({ at, text, url }) => ({ at, text: text ?? '', url }));
  return lines.length === 0 ? null : { topic: slug, name, lines };
}
