/** One thing that was looked at. */
export type Check = {
  check: string;
  /** null: not as it might be, and no reason to worry. */
  ok: boolean | null;
  found: string;
  /** What to do, where something is wrong. */
  advice: string | null;
};

export function good(check: string, found: string): Check {
  return { check, ok: true, found, advice: null };
}

export function bad(check: string, found: string, advice: string): Check {
  return { check, ok: false, found, advice };
}

export function aside(check: string, found: string, advice: string): Check {
  return { check, ok: null, found, advice };
}

/** What an error says, in a line. */
export function sayingOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return sayingOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message)
      ? `: ${error.cause.message}`
      : '';
  return `${error.message || error.name}${cause}`;
}
