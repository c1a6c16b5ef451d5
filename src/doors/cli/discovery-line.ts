import type { DiscoveryRow } from '../../store/reads/discoveries.ts';
import type { Page } from './page.ts';
import { cut, oneLine, widthOf, wrap } from './text.ts';
import { counted, timeOfDay } from './words.ts';

const GAP = '  ';
/** Words need this much room to be worth a place beside the rest. */
const LEAST = 24;

/**
 * A discovery as it is shown while it comes: `10:55:30Z  ferry-posts  post  @ines  "Ferry 7 is back"  12 likes`,
 * its address below it where one line has no room for both. The same for every one, whatever came before.
 */
export function discoveryLines(
  row: DiscoveryRow,
  { colors, width }: Pick<Page, 'colors' | 'width'>,
): string[] {
  const { at, search, kind, author_username, baseline } = row;
  const who = author_username === null ? '' : `@${oneLine(author_username)}`;
  const head = [timeOfDay(at), oneLine(search), kind, ...(baseline ? ['baseline'] : [])].join(GAP);
  const likes = kind === 'post' && row.like_count !== null ? counted(row.like_count, 'like') : '';
  const said = oneLine(row.text ?? '');
  const url = oneLine(row.url ?? '');
  const quoted = (text: string) => (kind === 'post' && said !== '' ? `"${text}"` : text);
  const words = quoted(said);
  const line = [head, who, words, likes, url].filter((one) => one !== '').join(GAP);
  const quiet = baseline ? colors.dim : (text: string) => text;
  if (width === Number.POSITIVE_INFINITY) return [line];
  const beside = [head, who].filter((one) => one !== '').join(GAP);
  const indent = width > LEAST ? GAP : '';
  const below = (text: string) =>
    text === '' ? [] : wrap(text, width - indent.length).map((one) => indent + colors.dim(one));
  const room = width - beside.length - GAP.length - (likes === '' ? 0 : likes.length + GAP.length);
  if (room < LEAST)
    return [
      ...wrap(beside, width).map(quiet),
      ...below(cut([words, likes].filter((one) => one !== '').join(GAP), width - indent.length)),
      ...below(url),
    ];
  const shown = quoted(cut(said, room - widthOf(words) + widthOf(said)));
  return [quiet([beside, shown, likes].filter((one) => one !== '').join(GAP)), ...below(url)];
}
