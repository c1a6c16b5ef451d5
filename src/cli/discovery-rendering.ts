/** Discoveries for people: rows of a table, or one by one as they arrive. */

import { formatCopies } from '../lib/display-format.ts';
import { type Copies, ONE_COPY } from '../store/stories/one-thing.ts';
import type { DiscoveryRow as ReadDiscovery } from '../store/queries/discoveries.ts';
import type { Reply } from './api-requests.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { measureWidth, oneLine, truncate, wrapText } from './terminal-text.ts';
import { formatCount, formatQuantity, formatTime, formatRecentTime } from './value-formatting.ts';

/** As it is read, or as an operation replies. */
type DiscoveryRow = ReadDiscovery | Reply<ReadDiscovery>;

/** Counted or not. */
type FoundRow = DiscoveryRow & Partial<Omit<Copies, 'story_id'>>;

/** On a narrow page, `baseline` stays: what was there before must not look new. */
export function discoveryColumns(now: Date, page: TerminalPage): Column<FoundRow>[] {
  const quiet = (shown: string, { baseline }: DiscoveryRow) => (baseline ? page.colors.dim(shown) : shown);
  return [
    { head: 'found', cell: ({ at }) => formatTime(at, now, page), paint: quiet },
    { head: 'search', cell: ({ search }) => search, paint: quiet },
    { head: 'kind', cell: nameKind, drop: 2, paint: quiet },
    { head: 'baseline', cell: ({ baseline }) => (baseline ? 'baseline' : ''), paint: quiet },
    {
      head: 'likes',
      cell: (row) => (nameKind(row) === 'post' ? formatCount(row.like_count, page) : ''),
      right: true,
      drop: 3,
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
      head: 'copies',
      cell: (row) => (row.first_in_topic ? nameStory({ ...ONE_COPY, ...row }) : ''),
      drop: 3,
      paint: quiet,
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

/** `×27, 3 authors, story 29`: `stories show 29` lists all of them. */
function nameStory(counted: Copies): string {
  const words = formatCopies(counted);
  return words === null ? '' : `${words}, story ${counted.story_id}`;
}

/** A link that names a post is shown as that post. */
function nameKind({ kind, named_post_id }: DiscoveryRow): DiscoveryRow['kind'] {
  return named_post_id === null ? kind : 'post';
}

/** Columns for one run, whose time and search are in its heading. */
export function runDiscoveryColumns(now: Date, page: TerminalPage): Column<FoundRow>[] {
  return discoveryColumns(now, page).slice(2);
}

const GAP = '  ';
/** With less room, the text goes on a line of its own. */
const MIN_TEXT_WIDTH = 24;

/**
 * A discovery in `new --follow`: `10:55:30Z  ferry-posts  post  @ines  "Ferry 7 is back"  12 likes`,
 * its address below it if one line has no room for both. Independent of earlier rows.
 * @param now on its day, the time is shown without the date
 */
export function renderDiscovery(
  row: DiscoveryRow,
  { colors, width, zone }: Pick<TerminalPage, 'colors' | 'width' | 'zone'>,
  now = row.at,
): string[] {
  const { at, search, author_username, baseline } = row;
  const kind = nameKind(row);
  const who = author_username === null ? '' : `@${oneLine(author_username)}`;
  const head = [
    formatRecentTime(at, now, { zone }),
    oneLine(search),
    kind,
    ...(baseline ? ['baseline'] : []),
  ].join(GAP);
  const likes = kind === 'post' && row.like_count !== null ? formatQuantity(row.like_count, 'like') : '';
  const content = oneLine(row.text ?? '');
  const url = oneLine(row.url ?? '');
  const quoted = (text: string) => (kind === 'post' && content !== '' ? `"${text}"` : text);
  const quotedContent = quoted(content);
  const line = [head, who, quotedContent, likes, url].filter((piece) => piece !== '').join(GAP);
  const quiet = baseline ? colors.dim : (text: string) => text;
  if (width === Number.POSITIVE_INFINITY) return [line];
  const beside = [head, who].filter((piece) => piece !== '').join(GAP);
  const indent = width > MIN_TEXT_WIDTH ? GAP : '';
  const below = (text: string) =>
    text === '' ? [] : wrapText(text, width - indent.length).map((part) => indent + colors.dim(part));
  const room = width - measureWidth(beside) - GAP.length - (likes === '' ? 0 : likes.length + GAP.length);
  if (room < MIN_TEXT_WIDTH)
    return [
      ...wrapText(beside, width).map(quiet),
      ...below(
        truncate([quotedContent, likes].filter((piece) => piece !== '').join(GAP), width - indent.length),
      ),
      ...below(url),
    ];
  const shown = quoted(truncate(content, room - measureWidth(quotedContent) + measureWidth(content)));
  return [quiet([beside, shown, likes].filter((piece) => piece !== '').join(GAP)), ...below(url)];
}
