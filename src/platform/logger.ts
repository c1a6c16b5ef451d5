import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

/** Members that hold secrets wherever they appear in a log line. */
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
 * What is told of an error beside its message and where it arose: names and numbers. Libraries hang whole requests on
 * their errors (parameters of a statement, rows that were refused, arguments of a command), and none of that is here.
 */
const TOLD = [
  ['code', 'errno', 'syscall', 'address', 'port', 'status', 'statusCode', 'kind'],
  ['severity', 'schema', 'table', 'column', 'constraint', 'routine'],
].flat();

const LONGEST_MESSAGE = 2_000;
const DEEPEST = 5;

/**
 * JSON lines on stderr (stdout belongs to data), of ASCII where a terminal or an editor would take a sign for an
 * order. Known secret values are replaced anywhere in a line, also inside error messages and causes: that is the
 * last line of defence, not the first.
 * @param secrets values that must never appear; shorter than four characters are ignored
 */
export function createLogger(
  level: string,
  secrets: readonly (string | undefined)[] = [],
  destination?: { write(line: string): void },
): Logger {
  const known = [
    ...new Set(secrets.flatMap((one) => (one === undefined || one.length < 4 ? [] : formsOf(one)))),
  ];
  const out = destination ?? pino.destination({ fd: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_PATHS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
      serializers: { err: tellError },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    {
      write: (line) => {
        const hidden = known.reduce((text, form) => text.replaceAll(form, '[hidden]'), line);
        out.write(hidden.replaceAll(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escapeSign));
      },
    },
  );
}

/** An error as it stands in a line; anything else that was thrown as it is. */
function tellError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && depth > 0 ? '[an object]' : error;
  const { name, stack, cause } = error;
  const named = error.constructor.name === 'Error' ? name : error.constructor.name;
  const told: Record<string, unknown> = { type: named, message: messageOf(error) };
  for (const member of TOLD) {
    const value: unknown = Reflect.get(error, member);
    if (typeof value === 'string' || typeof value === 'number') told[member] = value;
  }
  told['stack'] = stack
    ?.split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
  if (depth < DEEPEST && cause !== undefined) told['cause'] = tellError(cause, depth + 1);
  if (depth < DEEPEST && error instanceof AggregateError)
    told['errors'] = error.errors.slice(0, DEEPEST).map((one) => tellError(one, depth + 1));
  return told;
}

/** Drizzle's errors end with the parameters of the statement; what Postgres said of it is their cause. */
function messageOf({ message }: Error): string {
  return message.replace(/\nparams: [^]*$/, '').slice(0, LONGEST_MESSAGE);
}

/** A secret as it stands inside a JSON string: itself, as JSON, in an address, and in base64. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret)
    .toString('base64')
    .replace(/={1,2}$/, '');
  return [inJson(inJson(secret)), inJson(secret), encodeURIComponent(secret), base64];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escapeSign(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
