/** Error messages for people, and their exit codes: 1 failure, 2 wrong usage. */

import { InvalidInput, readErrorCode, Refused, RunError } from '../model/errors.ts';
import { escapeUnsafe, MIN_SECRET_LENGTH } from '../lib/text.ts';
import { isUnreachable, readSqlState } from '../store/db/database.ts';
import { SchemaMismatch } from '../store/db/schema-state.ts';
import { type Cli, Interrupted } from './command-context.ts';
import { describeOption, EXIT_USAGE, shortenQuotes, suggestList } from './command-input.ts';
import { EXIT_INTERRUPTED } from './process-exit.ts';
import { describeFailure } from './run-failure.ts';
import { oneLine } from './terminal-text.ts';

const EXIT_FAILED = 1;

/** Prints the error and returns the exit code. */
export function reportError(cli: Cli, error: unknown): number {
  if (error instanceof Interrupted) return EXIT_INTERRUPTED;
  if (error instanceof InvalidInput) {
    for (const [i, line] of error.message.split('\n').entries()) {
      const { path = '' } = error.problems[i] ?? {};
      printError(cli, escapeUnsafe(`${path}${describeOption(path, cli.command)}${line.slice(path.length)}`));
    }
    return EXIT_USAGE;
  }
  if (error instanceof SchemaMismatch) {
    printError(cli, oneLine(error.message));
    return EXIT_USAGE;
  }
  if (error instanceof Refused) {
    const list = error.kind === 'not_found' ? suggestList(error.message) : '';
    const step =
      isUnreachable(error.cause) || readSqlState(error.cause) !== ''
        ? adviseOnDatabase(cli, error)
        : undefined;
    printError(
      cli,
      oneLine(
        `${error.message}${list}${step === undefined ? '' : `: ${step}. To check the setup: strandline doctor`}`,
      ),
    );
  } else if (error instanceof RunError) printError(cli, describeFailure(error));
  else if (describeSystemFault(error) !== undefined)
    printError(cli, `${describeSystemFault(error)} (${redactSecrets(cli, summarizeError(error))})`);
  else if (isUnreachable(error) || adviseOnDatabase(cli, error) !== undefined) {
    const advice = adviseOnDatabase(cli, error);
    printError(
      cli,
      `the database is unreachable (${redactSecrets(cli, summarizeError(error))})${advice === undefined ? '.' : `: ${advice}.`} To check the setup: strandline doctor`,
    );
  } else {
    printError(cli, `internal error: ${redactSecrets(cli, summarizeError(error))}`);
    cli.say('hint: LOG_LEVEL=debug prints a stack trace; to check the setup: strandline doctor');
  }
  if (isDebugging(cli)) cli.say(redactSecrets(cli, formatStack(error)));
  return EXIT_FAILED;
}

/** By the code of the system, or the SQLSTATE. */
const SYSTEM_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space and try again',
  '53100': "the database's disk is full: free some space and try again",
  EDQUOT: 'the disk quota is used up: free some space and try again',
  EROFS: 'the file system is read-only: make it writable, or set STRANDLINE_DATA_DIR',
  EACCES: 'permission denied: make the path writable, or set STRANDLINE_DATA_DIR',
  '25006': 'the database is read-only: make it writable, or set DATABASE_URL to its primary',
  ENOTFOUND: 'no network: DNS lookup failed',
  EAI_AGAIN: 'no network: DNS lookup failed',
};

/** What to do if the database in `DATABASE_URL` refuses a connection, by code. */
const DATABASE_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'start Postgres there, or correct host and port in DATABASE_URL; without it, an embedded Postgres is used',
  ENOTFOUND: 'correct the host in DATABASE_URL, or check the network',
  EAI_AGAIN: 'correct the host in DATABASE_URL, or check the network',
  ETIMEDOUT: 'correct host and port in DATABASE_URL, or open the firewall',
  '28P01': 'correct user and password in DATABASE_URL',
  '28000':
    'correct the user in DATABASE_URL, allow it in pg_hba.conf, or, if the server requires TLS, add ?sslmode=require',
  '3D000': 'create the database (createdb NAME), or correct its name in DATABASE_URL',
  '53300': 'raise max_connections of Postgres, or lower WORKER_CONCURRENCY',
};
const NO_TLS = /server does not support SSL/i;

/** What to do if the database in `DATABASE_URL` could not be reached because of this error; undefined for other errors. */
export function adviseOnConnection(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (NO_TLS.test(error.message)) return 'remove sslmode from DATABASE_URL, or turn on TLS at the server';
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const own = DATABASE_FAULTS[readSqlState(error)] ?? DATABASE_FAULTS[readErrorCode(error) ?? ''];
  return own ?? (inner === undefined ? undefined : adviseOnConnection(inner));
}

/** Undefined also for the embedded Postgres, which has no settings to correct. */
function adviseOnDatabase(cli: Cli, error: unknown): string | undefined {
  return hasDatabaseUrl(cli) ? adviseOnConnection(error) : undefined;
}

function hasDatabaseUrl(cli: Cli): boolean {
  try {
    return cli.config().databaseUrl !== undefined;
  } catch {
    return false; // an invalid configuration is reported elsewhere
  }
}

/** A full disk, a read-only file system or a missing network, which would otherwise look like a missing database. */
function describeSystemFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? SYSTEM_FAULTS[error.code] : undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return code ?? (inner === undefined ? undefined : describeSystemFault(inner));
}

function printError(cli: Cli, words: string): void {
  cli.say(`error: ${shortenQuotes(words)}`);
}

function summarizeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return summarizeError(error.errors[0]);
  const state = readSqlState(error);
  const words = oneLine(
    error instanceof Error ? unwrapQueryError(error).message || error.name : String(error),
  );
  return state === '' ? words : `${words} [${state}]`;
}

/** Drizzle's errors repeat the statement; the cause is the error from Postgres. */
function unwrapQueryError(error: Error): Error {
  return error.message.startsWith('Failed query') && error.cause instanceof Error ? error.cause : error;
}

function isDebugging(cli: Cli): boolean {
  try {
    return ['debug', 'trace'].includes(cli.config().logLevel ?? '');
  } catch {
    return false; // an invalid configuration is reported elsewhere
  }
}

function formatStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${formatStack(error.cause)}`;
}

function redactSecrets(cli: Cli, text: string): string {
  try {
    const secrets = cli.config().secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH);
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  } catch {
    return text;
  }
}
