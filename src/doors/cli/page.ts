/** What may be shown where we print: colours, width, and signs beyond ASCII. */
import pc from 'picocolors';
import type { Env, Io } from './io.ts';

export type Colors = ReturnType<typeof pc.createColors>;

export type Page = {
  colors: Colors;
  /** Columns that a line may have; infinite where nobody looks and nothing is cut. */
  width: number;
  /** Whether a person sees it happen. */
  live: boolean;
  /** Stands where a text was cut, and where a value is unknown. */
  more: string;
  unknown: string;
  good: string;
  bad: string;
};

const WIDTH = 80;

/**
 * A pipe gets whole texts without colours. `NO_COLOR` and `TERM=dumb` take colours away from a terminal,
 * `COLUMNS` sets the width anywhere.
 */
export function pageOf(io: Pick<Io, 'env' | 'isTTY' | 'columns'>): Page {
  const { env, isTTY } = io;
  const colourful = isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const wide = isUnicode(env);
  const marks = isTTY && wide;
  return {
    colors: pc.createColors(colourful),
    width: widthOf(io),
    live: isTTY,
    more: wide ? '…' : '...',
    unknown: wide ? '–' : '-',
    good: marks ? '✓' : 'ok  ',
    bad: marks ? '✗' : 'FAIL',
  };
}

function widthOf({ env, isTTY, columns }: Pick<Io, 'env' | 'isTTY' | 'columns'>): number {
  const asked = /^\d{1,5}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : 0;
  if (asked > 0) return asked;
  if (!isTTY) return Number.POSITIVE_INFINITY;
  return columns !== undefined && columns > 0 ? columns : WIDTH;
}

/** A locale that names another character set than UTF-8 gets ASCII; none at all is taken for UTF-8. */
function isUnicode(env: Env): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => (one ?? '') !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}
