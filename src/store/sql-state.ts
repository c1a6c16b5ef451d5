/** Five characters, one of them a digit: `EPIPE` is one of the system's. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The five characters that say what Postgres refused; empty when it is not an error of Postgres. */
export function sqlState(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string' && SQL_STATE.test(error.code)) return error.code;
  return error.cause === undefined ? '' : sqlState(error.cause);
}
