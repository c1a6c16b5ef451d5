/** What a command line talks to, handed in: the streams, the environment, and whether a person is looking. */

import { toJson } from '../domain/json-output.ts';
import type { Command } from 'commander';
import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';

export type Env = Readonly<Record<string, string | undefined>>;

export type Io = {
  stdout: Writable;
  stderr: Writable;
  /** What is piped in; the process's own where none is handed in. */
  stdin?: Readable | undefined;
  env: Env;
  /** Whether stdout is a terminal. */
  isTTY: boolean;
  /** Its width, where it tells; `COLUMNS` goes before it. */
  columns?: number | undefined;
};

type Colors = ReturnType<typeof pc.createColors>;

/** What may be shown where we print: colors, width, and signs beyond ASCII. */
export type TerminalPage = {
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

const DEFAULT_WIDTH = 80;

/**
 * A pipe gets whole texts without colors. `NO_COLOR` and `TERM=dumb` take colors away from a terminal,
 * `COLUMNS` sets the width anywhere.
 */
export function detectTerminalPage(io: Pick<Io, 'env' | 'isTTY' | 'columns'>): TerminalPage {
  const { env, isTTY } = io;
  const colorful = isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const wide = isUnicode(env);
  const marks = isTTY && wide;
  return {
    colors: pc.createColors(colorful),
    width: detectWidth(io),
    live: isTTY,
    more: wide ? '…' : '...',
    unknown: wide ? '–' : '-',
    good: marks ? '✓' : 'ok  ',
    bad: marks ? '✗' : 'FAIL',
  };
}

function detectWidth({ env, isTTY, columns }: Pick<Io, 'env' | 'isTTY' | 'columns'>): number {
  const asked = /^\d{1,5}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : 0;
  if (asked > 0) return asked;
  if (!isTTY) return Number.POSITIVE_INFINITY;
  return columns !== undefined && columns > 0 ? columns : DEFAULT_WIDTH;
}

/** A locale that names another character set than UTF-8 gets ASCII; none at all is taken for UTF-8. */
function isUnicode(env: Env): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => (one ?? '') !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}

/** Where a person is talked to. */
export type Terminal = TerminalPage & {
  /** One line of talk, on stderr. */
  say: (line: string) => void;
  bold: (text: string) => string;
  dim: (text: string) => string;
};

function openTerminal(io: Io): Terminal {
  const page = detectTerminalPage(io);
  return {
    ...page,
    say: (line) => void io.stderr.write(`${line}\n`),
    bold: page.colors.bold,
    dim: page.colors.dim,
  };
}

/** Where data goes. A reader that goes away (`| head`) is no failure: what is left is not written. */
type Output = {
  /** Waits until the reader has taken it. */
  write(data: string | Uint8Array): Promise<void>;
  /** Whether the reader went away. */
  gone(): boolean;
  onGone(act: () => void): void;
  /** Why writing failed, where it was not for the reader's going. */
  failure(): Error | undefined;
  release(): void;
};

function openOutput(stream: Writable): Output {
  const acts: (() => void)[] = [];
  let gone = false;
  let failure: Error | undefined;
  const onError = (error: Error) => {
    if (gone || failure !== undefined) return;
    if ('code' in error && CLOSED_READER_CODES.has(String(error.code))) gone = true;
    else failure = error;
    for (const act of acts) act();
  };
  stream.on('error', onError);
  return {
    gone: () => gone,
    failure: () => failure,
    onGone: (act) => {
      acts.push(act);
    },
    write: async (data) => {
      if (gone || failure !== undefined) return;
      await new Promise<void>((resolve) => {
        stream.write(data, (error) => {
          if (error !== null && error !== undefined) onError(error);
          resolve();
        });
      });
    },
    release: () => {
      // The stream outlives us, and may fail once more: an error nobody listens to would end the process.
      stream.off('error', onError);
      stream.on('error', () => {});
    },
  };
}

const CLOSED_READER_CODES = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** What the command line has before any command is loaded. */
export type Shell = {
  io: Io;
  page: Terminal;
  /** Data. */
  out: Output;
  /** Talk: one line for a person, on stderr. */
  say(line: string): void;
  /** Data as one JSON document, or as the lines of a page. */
  show(json: boolean | undefined, value: unknown, lines: () => readonly string[]): Promise<void>;
  /** The command that runs, once it is known which. */
  command: Command | undefined;
  /** What the command ends with where nothing is thrown. */
  exitCode: number;
};

export function openShell(io: Io): Shell {
  const page = openTerminal(io);
  const out = openOutput(io.stdout);
  return {
    io,
    page,
    out,
    say: page.say,
    show: async (json, value, lines) => {
      if (json === true) return out.write(`${toJson(value, page.live ? 2 : undefined)}\n`);
      const shown = lines();
      if (shown.length > 0) await out.write(`${shown.join('\n')}\n`);
    },
    command: undefined,
    exitCode: 0,
  };
}
