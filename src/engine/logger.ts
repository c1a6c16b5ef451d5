import { type Logger as PinoLogger, pino, stdSerializers } from 'pino';

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
 * JSON lines on stderr (stdout belongs to data). Known secret values are replaced anywhere in a line,
 * also inside error messages and causes: that is the last line of defence, not the first.
 * @param secrets values that must never appear; shorter than four characters are ignored
 */
export function createLogger(
  level: string,
  secrets: readonly (string | undefined)[] = [],
  destination?: { write(line: string): void },
): Logger {
  const known = secrets.filter((one): one is string => one !== undefined && one.length >= 4);
  const out = destination ?? pino.destination({ fd: 2, sync: true });
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_PATHS.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
      serializers: { err: stdSerializers.errWithCause },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    {
      write: (line) =>
        out.write(known.reduce((text, secret) => text.replaceAll(escaped(secret), '[hidden]'), line)),
    },
  );
}

/** A secret as it stands inside a JSON string. */
function escaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}
