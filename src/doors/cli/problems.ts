/** Errors as a person reads them, and the exit code each means: 1 failed, 2 usage. */
import { InvalidInput, Refused, RunError } from '../../errors.ts';
import { isUnreachable } from '../../store/database.ts';
import { sqlState } from '../../store/sql-state.ts';
import { type Cli, Interrupted } from './cli.ts';
import { wordsOf } from './failure-words.ts';
import { listOf, optionOf, USAGE } from './hints.ts';
import { escapeUnsafe } from '../json.ts';
import { secretsOf } from './secrets.ts';
import { oneLine } from './text.ts';

const FAILED = 1;
const INTERRUPTED = 130;

/** Says what went wrong, once, and returns the exit code. */
export function tellProblem(cli: Cli, error: unknown): number {
  if (error instanceof Interrupted) return INTERRUPTED;
  if (error instanceof InvalidInput) {
    for (const [i, line] of error.message.split('\n').entries()) {
      const { path = '' } = error.problems[i] ?? {};
      tell(cli, escapeUnsafe(`${path}${optionOf(path, cli.command)}${line.slice(path.length)}`));
    }
    return USAGE;
  }
  if (error instanceof Refused) {
    const list = error.kind === 'not_found' ? listOf(error.message) : '';
    tell(cli, oneLine(`${error.message}${list}`));
  } else if (error instanceof RunError) tell(cli, wordsOf(error));
  else if (isUnreachable(error)) {
    tell(cli, `the database cannot be reached (${hidden(cli, firstLine(error))}); see: strandline doctor`);
  } else {
    tell(cli, `strandline itself failed: ${hidden(cli, firstLine(error))}`);
    cli.say('hint: LOG_LEVEL=debug shows where, strandline doctor looks at what it stands on');
  }
  if (isDebugging(cli)) cli.say(hidden(cli, stackOf(error)));
  return FAILED;
}

function tell(cli: Cli, words: string): void {
  cli.say(`error: ${words}`);
}

function firstLine(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return firstLine(error.errors[0]);
  const state = sqlState(error);
  const words = oneLine(error instanceof Error ? rootOf(error).message || error.name : String(error));
  return state === '' ? words : `${words} [${state}]`;
}

/** Drizzle's own errors repeat the whole statement; what Postgres said is their cause. */
function rootOf(error: Error): Error {
  return error.message.startsWith('Failed query') && error.cause instanceof Error ? error.cause : error;
}

function isDebugging({ io }: Cli): boolean {
  return ['debug', 'trace'].includes(io.env['LOG_LEVEL']?.trim() ?? '');
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${stackOf(error.cause)}`;
}

function hidden(cli: Cli, text: string): string {
  try {
    return secretsOf(cli.config()).reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  } catch {
    return text;
  }
}
