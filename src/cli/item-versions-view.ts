/** What differed between the versions of a post or an author. */
import { compareVersions, type VersionMember } from '../model/item-versions.ts';
import type { Terminal } from './terminal-io.ts';
import { renderTable } from './terminal-table.ts';
import { formatInstant } from './value-formatting.ts';

type Version = {
  valid_from: string;
  valid_until: string | null;
  run_id: string | null;
  search: string | null;
};

/** The newest first; nothing if there is one only. @param versions oldest first */
export function renderVersions<V extends Version>(
  versions: readonly V[],
  members: readonly VersionMember<V>[],
  page: Terminal,
): string[] {
  if (versions.length < 2) return [];
  const table = renderTable(
    compareVersions(versions, members).toReversed(),
    [
      { head: 'from', cell: ({ version }) => formatInstant(version.valid_from, page) },
      {
        head: 'until',
        cell: ({ version: { valid_until: at } }) => (at === null ? 'current' : formatInstant(at, page)),
      },
      {
        head: 'seen by',
        cell: ({ version: { search, run_id } }) =>
          search === null || run_id === null ? page.unknown : `${search}, run ${run_id}`,
      },
      {
        head: 'changed',
        cell: ({ changes }) =>
          changes.map(({ label, value }) => `${label}: ${value ?? page.unknown}`).join('; '),
        elastic: 1,
        least: 16,
        wraps: true,
      },
    ],
    page,
  );
  return ['', page.bold('versions'), ...table];
}
