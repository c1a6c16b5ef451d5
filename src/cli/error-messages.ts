/** Errors as a person reads them, and the exit code each means: 1 failed, 2 usage. */

import { InvalidInput, Refused, RUN_CODES, type RunCode, RunError } from '../domain/errors.ts';
import { escapeUnsafe } from '../domain/text.ts';
import { isUnreachable, readSqlState } from '../store/database.ts';
import { type Cli, Interrupted } from './command-context.ts';
import { describeOption, EXIT_USAGE, suggestList } from './command-input.ts';
import { oneLine } from './terminal-text.ts';

const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;

/** Says what went wrong, once, and returns the exit code. */
export function reportError(cli: Cli, error: unknown): number {
  if (error instanceof Interrupted) return EXIT_INTERRUPTED;
  if (error instanceof InvalidInput) {
    for (const [i, line] of error.message.split('\n').entries()) {
      const { path = '' } = error.problems[i] ?? {};
      printError(cli, escapeUnsafe(`${path}${describeOption(path, cli.command)}${line.slice(path.length)}`));
    }
    return EXIT_USAGE;
  }
  if (error instanceof Refused) {
    const list = error.kind === 'not_found' ? suggestList(error.message) : '';
    printError(cli, oneLine(`${error.message}${list}`));
  } else if (error instanceof RunError) printError(cli, describeFailure(error));
  else if (isUnreachable(error)) {
    printError(
      cli,
      `the database cannot be reached (${redactSecrets(cli, summarizeError(error))}); see: strandline doctor`,
    );
  } else {
    printError(cli, `strandline itself failed: ${redactSecrets(cli, summarizeError(error))}`);
    cli.say('hint: LOG_LEVEL=debug shows where, strandline doctor looks at what it stands on');
  }
  if (isDebugging(cli)) cli.say(redactSecrets(cli, formatStack(error)));
  return EXIT_FAILED;
}

function printError(cli: Cli, words: string): void {
  cli.say(`error: ${words}`);
}

function summarizeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return summarizeError(error.errors[0]);
  const state = readSqlState(error);
  const words = oneLine(
    error instanceof Error ? unwrapQueryError(error).message || error.name : String(error),
  );
  return state === '' ? words : `${words} [${state}]`;
}

/** Drizzle's own errors repeat the whole statement; what Postgres said is their cause. */
function unwrapQueryError(error: Error): Error {
  return error.message.startsWith('Failed query') && error.cause instanceof Error ? error.cause : error;
}

function isDebugging(cli: Cli): boolean {
  try {
    return ['debug', 'trace'].includes(cli.config().logLevel ?? '');
  } catch {
    return false; // said already by the command that reads it
  }
}

function formatStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${formatStack(error.cause)}`;
}

function redactSecrets(cli: Cli, text: string): string {
  try {
    return cli.config().secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  } catch {
    return text;
  }
}

/** A run's failure: its code, what the code means, and the service's own words where there are any. */
export function describeFailure({
  code,
  detail,
}: {
  code: RunCode;
  detail?: string | null | undefined;
}): string {
  const words = oneLine(detail ?? '');
  return `${code} — ${RUN_CODES[code]}${words === '' ? '' : ` (${words})`}`;
}
