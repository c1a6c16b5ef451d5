/** Streams, environment and terminal of a command line. */

import type { DatabaseKind } from '../model/database-kind.ts';
import { toJson } from '../lib/json-values.ts';
import { nameProgram, wrapMessage } from './program-name.ts';
import type { Command } from 'commander';
import type { Readable, Writable } from 'node:stream';
import pc from 'picocolors';

export type Env = Readonly<Record<string, string | undefined>>;

export type Io = {
  stdout: Writable;
  stderr: Writable;
  /** Default: the process's own. */
  stdin?: Readable | undefined;
  env: Env;
  /** Whether stdout is a terminal. */
  isTTY: boolean;
  /** The width of the terminal; `COLUMNS` takes precedence. */
  columns?: number | undefined;
  /** How a person starts this program (default: `strandline`). */
  program?: string | undefined;
  /** The time zone of times on a terminal (default: UTC, as everywhere else). */
  zone?: string | undefined;
};

type Colors = ReturnType<typeof pc.createColors>;

/** What the output can show: colors, width, and characters beyond ASCII. */
export type TerminalPage = {
  colors: Colors;
  /** Columns of a line; infinite in a pipe, where nothing is truncated. */
  width: number;
  /** Whether stdout is a terminal. */
  live: boolean;
  /** Marks truncated text and unknown values. */
  more: string;
  unknown: string;
  good: string;
  bad: string;
  /** The time zone of times. */
  zone: string;
};

const DEFAULT_WIDTH = 80;

/**
 * A pipe gets whole texts without colors. `NO_COLOR` and `TERM=dumb` disable colors; `COLUMNS` sets the width anywhere.
 */
export function detectTerminalPage(io: Pick<Io, 'env' | 'isTTY' | 'columns' | 'zone'>): TerminalPage {
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
    zone: isTTY ? (io.zone ?? 'UTC') : 'UTC',
  };
}

function detectWidth({ env, isTTY, columns }: Pick<Io, 'env' | 'isTTY' | 'columns'>): number {
  const columnsSet = /^\d{1,5}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : 0;
  if (columnsSet > 0) return columnsSet;
  if (!isTTY) return Number.POSITIVE_INFINITY;
  return columns !== undefined && columns > 0 ? columns : DEFAULT_WIDTH;
}

/** ASCII for locales with another character set than UTF-8; no locale means UTF-8. */
function isUnicode(env: Env): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((setting) => (setting ?? '') !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}

export type Terminal = TerminalPage & {
  /** The database that the command is about: hints have its option. */
  kind: DatabaseKind;
  /** One message, on stderr. */
  say: (line: string) => void;
  /** A message in lines for a person: its commands name the program as it was started, and are not broken. */
  wrapHint: (text: string, width: number) => string[];
  bold: (text: string) => string;
  dim: (text: string) => string;
};

function openTerminal(io: Io, commands: readonly string[]): Terminal {
  const page = detectTerminalPage(io);
  const { program = 'strandline', stderr } = io;
  const wrapHint = (text: string, columns: number) =>
    wrapMessage(nameProgram(text, { program, kind: terminal.kind }, commands), columns, program);
  const width = page.live && isTerminal(stderr) ? page.width : Number.POSITIVE_INFINITY;
  const terminal: Terminal = {
    ...page,
    kind: 'real',
    wrapHint,
    say: (line) => void stderr.write(`${wrapHint(line, width).join('\n')}\n`),
    bold: page.colors.bold,
    dim: page.colors.dim,
  };
  return terminal;
}

/** Whether a stream goes to a person. */
export function isTerminal(stream: Readable | Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** stdout. A reader that closes it (`| head`) is not an error; the rest is not written. */
type Output = {
  /** Resolves when the reader has received it. */
  write(data: string | Uint8Array): Promise<void>;
  /** Whether the reader closed it. */
  gone(): boolean;
  onGone(act: () => void): void;
  /** Why writing failed, other than by the reader closing it. */
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
      // The stream may fail again later, and an error without a listener would end the process.
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

/** What exists before any command is loaded. */
export type Shell = {
  io: Io;
  page: Terminal;
  /** Data. */
  out: Output;
  /** One message for a person, on stderr. */
  say(line: string): void;
  /** Data as one JSON document, or as the lines of a page. */
  show(json: boolean | undefined, value: unknown, lines: () => readonly string[]): Promise<void>;
  /** The command that runs, once it is known. */
  command: Command | undefined;
  /** The exit code if nothing is thrown. */
  exitCode: number;
};

/** @param commands names of commands, which hints call by the name of the program */
export function openShell(io: Io, commands: readonly string[]): Shell {
  const page = openTerminal(io, commands);
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

/** For connections that are closing. */
const EXIT_GRACE_MS = 500;

/**
 * Ends the process after its command, even if something keeps it alive: a lookup of a name cannot be aborted, and takes a
 * minute if no DNS server responds. Waits until the output is written.
 * @param after schedules without keeping the process alive
 */
export function exitSoon(
  streams: readonly Pick<Writable, 'writableLength' | 'destroyed'>[],
  exit: () => void,
  after: (ms: number, act: () => void) => void = (ms, act) => void setTimeout(act, ms).unref(),
): void {
  after(EXIT_GRACE_MS, () => {
    if (streams.some(({ writableLength, destroyed }) => !destroyed && writableLength > 0))
      exitSoon(streams, exit, after);
    else exit();
  });
}
