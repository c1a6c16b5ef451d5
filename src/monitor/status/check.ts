/** A check of the installation: its state, and what to do about it. Commands, API, metrics and pages show the same checks. */

/** The worst first. `attention`: it works, and a person should know. `unknown`: the check could not be made. */
export const CHECK_STATES = ['failed', 'attention', 'unknown', 'ok'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

export type Check = {
  /** What is checked, such as `queue`, or the status of a search, such as `failing`. */
  name: string;
  state: CheckState;
  /** The state, in words. */
  facts: string;
  /** What to do; null: nothing. */
  advice: string | null;
  /** The path of the page about it; null: none but the page System. */
  page: string | null;
};

export function passedCheck(name: string, facts: string): Check {
  return { name, state: 'ok', facts, advice: null, page: null };
}

export function failedCheck(
  name: string,
  facts: string,
  advice: string | null,
  page: string | null = null,
): Check {
  return { name, state: 'failed', facts, advice, page };
}

export function advisoryCheck(
  name: string,
  facts: string,
  advice: string | null,
  page: string | null = null,
): Check {
  return { name, state: 'attention', facts, advice, page };
}

/** A check that could not be made. */
export function unknownCheck(name: string, facts: string, advice: string | null): Check {
  return { name, state: 'unknown', facts, advice, page: null };
}

/** How many checks have each state. */
export function tallyChecks(checks: readonly Check[]): Record<CheckState, number> {
  const tally = { failed: 0, attention: 0, unknown: 0, ok: 0 };
  for (const { state } of checks) tally[state] += 1;
  return tally;
}

/** An error's message in one line. */
export function describeCause(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return describeCause(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error && !error.message.includes(error.cause.message)
      ? `: ${error.cause.message}`
      : '';
  return `${error.message || error.name}${cause}`;
}
