import { RUN_CODES, type RunCode } from '../../errors.ts';
import { oneLine } from './text.ts';

/** A run's failure: its code, what the code means, and the service's own words where there are any. */
export function wordsOf({ code, detail }: { code: RunCode; detail?: string | null | undefined }): string {
  const words = oneLine(detail ?? '');
  return `${code} — ${RUN_CODES[code]}${words === '' ? '' : ` (${words})`}`;
}
