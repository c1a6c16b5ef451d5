/** What a command line talks to, handed in: the streams, the environment, and whether a person is looking. */
import type { Readable, Writable } from 'node:stream';

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
