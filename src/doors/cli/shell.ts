/** What the command line has before any command is loaded. */
import type { Command } from 'commander';
import { toJson } from '../json.ts';
import type { Io } from './io.ts';
import { type Output, openOutput } from './output.ts';
import { type Terminal, openTerminal } from './terminal.ts';

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
