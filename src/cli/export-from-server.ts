/** An export of the server that `STRANDLINE_URL` names. */
import { InvalidInput } from '../model/errors.ts';
import type { Encoding } from '../monitor/export/export-rows.ts';
import { openTarget, writePendingFile } from '../monitor/export/export-target.ts';
import type { Resource } from '../store/export/export-resources.ts';
import type { ExportFilter } from '../store/export/export-select.ts';
import { askBytes, atOptions } from './api-requests.ts';
import { EXPORT_ROWS } from './byte-replies.ts';
import type { Cli } from './command-context.ts';
import { formatBytes } from './value-formatting.ts';
import path from 'node:path';

/**
 * Prints the rows of one resource, or writes them to a file, which appears only once it is complete. There is no manifest: what it
 * says about the data, the server does not send.
 * @param what.out undefined: stdout
 * @throws InvalidInput for several searches or a folder, Refused as the server does, or if the file cannot be written
 */
export async function exportFromServer(
  cli: Cli,
  what: { kind: Resource; filter: ExportFilter; encoding: Encoding; out: string | undefined },
): Promise<void> {
  const { kind, filter, encoding, out } = what;
  const { searches = [], topic, since, until, query: text } = filter;
  const { format, raw, bom } = encoding;
  if (searches.length > 1)
    throw new InvalidInput([{ path: 'search', given: searches, expected: 'one search from a server' }]);
  const target = out === undefined ? undefined : await openTarget(out, false);
  if (target !== undefined && target.file === undefined)
    throw new InvalidInput([
      {
        path: 'out',
        given: out,
        expected: `a file, such as ${path.join(target.folder, `${kind}.${format}`)}`,
      },
    ]);
  const members = { kind, format, topic, search: searches[0], since, until, text, raw, bom };
  await cli.withApi(async (api) => {
    const pieces = await atOptions({ kind: 'what', text: 'query' }, () =>
      askBytes(api, EXPORT_ROWS, members),
    );
    if (target?.file === undefined) {
      for await (const piece of pieces) await cli.out.write(piece);
      return;
    }
    const file = path.join(target.folder, target.file);
    const written = await writePendingFile(file, pieces);
    await written.place();
    cli.say(`${file}: ${formatBytes(written.bytes, cli.page)}; a server sends no manifest`);
  });
}
