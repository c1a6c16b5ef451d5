/** Events as an `EventSource` reads them. */
import type { FeedEvent } from '../../../monitor/feed/feed.ts';
import { toJson } from '../../json.ts';

/** JSON has no line end outside its texts, and escapes those inside: one line of data holds a row. In UTF-8, once for all. */
export function frameOf({ event, row }: FeedEvent): Uint8Array {
  const id = event === 'discovery' ? `id: ${row.id}\n` : '';
  return Buffer.from(`event: ${event}\n${id}data: ${toJson(row)}\n\n`);
}
