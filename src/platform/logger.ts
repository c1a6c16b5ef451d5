/** Log: JSON lines on stderr, without secrets. */

import { escapeUnsafe, MIN_SECRET_LENGTH } from '../lib/text.ts';
import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

/** Members that are redacted wherever they appear in a log line. */
const SECRET_PATHS = [
  'key',
  'apiKey',
  'token',
  'secret',
  'password',
  'authorization',
  'headers',
  'url',
  'connectionString',
];

/**
 * Members of an error that are logged besides message and stack: names and numbers. Libraries attach whole requests to
 * errors (statement parameters, rejected rows, command arguments), which must not be logged.
 */
const ERROR_MEMBERS = [
  ['code', 'errno', 'syscall', 'address', 'port', 'status', 'statusCode', 'kind'],
  ['severity', 'schema', 'table', 'column', 'constraint', 'routine'],
].flat();

const MAX_MESSAGE_LENGTH = 2_000;
const MAX_DEPTH = 5;

/**
 * JSON lines on stderr (stdout is for data), with control characters escaped. Known secret values are replaced anywhere in
 * a line, including error messages and causes, as the last line of defense.
 * @param secrets values to hide, including ones added later; those below `MIN_SECRET_LENGTH` are ignored
 */
export function createLogger(
  level: string,
  secrets: readonly (string | undefined)[] = [],
  destination?: { write(line: string): void },
): Logger {
  let known = new Set<string>();
  let count = 0;
  const listKnown = () => {
    if (count === secrets.length) return known;
    count = secrets.length;
    known = new Set(
      secrets.flatMap((secret) =>
        secret === undefined || secret.length < MIN_SECRET_LENGTH ? [] : listSecretForms(secret),
      ),
    );
    return known;
  };
  const out = destination ?? pino.destination({ fd: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_PATHS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
      serializers: { err: serializeError },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    {
      write: (line) => {
        const hidden = [...listKnown()].reduce(hideSecret, line);
        out.write(escapeUnsafe(hidden));
      },
    },
  );
}

/** A number or word of JSON that contains the secret is replaced whole and quoted, so that the line stays JSON. */
function hideSecret(line: string, secret: string): string {
  if (!line.includes(secret)) return line;
  return line.replaceAll(JSON_TOKEN, (token) => {
    if (!token.includes(secret)) return token;
    return token.startsWith('"') ? token.replaceAll(secret, '[hidden]') : '"[hidden]"';
  });
}

/** A string takes what is there where its end is missing, so that each character is read once. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"?|[\w.+-]+/g;

/** An error as logged; other thrown values are logged unchanged. */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && depth > 0 ? '[an object]' : error;
  const { name, stack, cause } = error;
  const named = error.constructor.name === 'Error' ? name : error.constructor.name;
  const members: Record<string, unknown> = { type: named, message: readErrorMessage(error) };
  for (const member of ERROR_MEMBERS) {
    const value: unknown = Reflect.get(error, member);
    if (typeof value === 'string' || typeof value === 'number') members[member] = value;
  }
  members['stack'] = stack
    ?.split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
  if (depth < MAX_DEPTH && cause !== undefined) members['cause'] = serializeError(cause, depth + 1);
  if (depth < MAX_DEPTH && error instanceof AggregateError)
    members['errors'] = error.errors.slice(0, MAX_DEPTH).map((member) => serializeError(member, depth + 1));
  return members;
}

/** Drizzle appends the statement's parameters to its messages; the Postgres error is the cause. */
function readErrorMessage({ message }: Error): string {
  return message.replace(/\nparams: [^]*$/, '').slice(0, MAX_MESSAGE_LENGTH);
}

/** All forms of a secret inside a JSON string: raw, JSON-escaped, URL-encoded and base64. */
function listSecretForms(secret: string): string[] {
  const base64 = Buffer.from(secret)
    .toString('base64')
    .replace(/={1,2}$/, '');
  return [inJson(inJson(secret)), inJson(secret), encodeURIComponent(secret), base64];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
