import { RUN_CODES, type RunCode } from '../model/errors.ts';
import { oneLine } from './terminal-text.ts';

/** A run's failure: its code, the meaning of the code, and the service's message if any. */
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
