import type { Io } from './io.ts';
import { type Page, pageOf } from './page.ts';

/** Where a person is talked to. */
export type Terminal = Page & {
  /** One line of talk, on stderr. */
  say: (line: string) => void;
  bold: (text: string) => string;
  dim: (text: string) => string;
};

export function openTerminal(io: Io): Terminal {
  const page = pageOf(io);
  return {
    ...page,
    say: (line) => void io.stderr.write(`${line}\n`),
    bold: page.colors.bold,
    dim: page.colors.dim,
  };
}
