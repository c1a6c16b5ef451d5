import type { DiscoveryRow } from '../../store/reads/discoveries.ts';
import type { Page } from './page.ts';
import type { Column } from './table.ts';
import { count, when } from './words.ts';

/** The same for one run, whose time and search stand above it. */
export function discoveryColumnsOfRun(now: Date, page: Page): Column<DiscoveryRow>[] {
  return discoveryColumns(now, page).slice(2);
}

/** What was found for the first time; what a first look found is marked. */
export function discoveryColumns(now: Date, page: Page): Column<DiscoveryRow>[] {
  const quiet = (shown: string, { baseline }: DiscoveryRow) => (baseline ? page.colors.dim(shown) : shown);
  return [
    { head: 'found', cell: ({ at }) => when(at, now, page), paint: quiet },
    { head: 'search', cell: ({ search }) => search, paint: quiet },
    { head: 'kind', cell: ({ kind }) => kind, drop: 3, paint: quiet },
    { head: 'first look', cell: ({ baseline }) => (baseline ? 'baseline' : ''), drop: 4, paint: quiet },
    {
      head: 'likes',
      cell: ({ kind, like_count }) => (kind === 'post' ? count(like_count, page) : ''),
      right: true,
      drop: 2,
      paint: quiet,
    },
    {
      head: 'by',
      cell: ({ author_username: name }) => (name === null ? '' : `@${name}`),
      elastic: 1,
      drop: 1,
      paint: (shown, row) => (row.baseline ? page.colors.dim(shown) : page.colors.cyan(shown)),
    },
    {
      head: 'text',
      cell: ({ text, url }) => text ?? (url === null ? '' : page.unknown),
      elastic: 4,
      least: 16,
      paint: quiet,
    },
  ];
}
