/** A form that was opened before another edit does not undo that edit unasked. */

import { InvalidInput, type Problem } from '../../domain/errors.ts';
import type { FormValues } from '../components/form.tsx';
import { readField } from '../request-input.ts';

/** @param props.edited what the edit starts from, on one line; it differs after each edit */
export function OpenedField({
  edited,
  given = {},
  problems,
}: {
  edited: string;
  given: FormValues | undefined;
  problems: readonly Problem[];
}) {
  // Whoever was told of another edit and saves again replaces it.
  const wasTold = problems.some(({ path }) => path === 'opened');
  const opened = wasTold ? undefined : readField(given, 'opened');
  return <input type="hidden" name="opened" value={opened ?? edited} />;
}

/** @param edited as in {@link OpenedField}, now @throws InvalidInput if it was another when the form was opened */
export function assertNotEdited(given: FormValues, edited: string): void {
  const opened = readField(given, 'opened');
  if (opened === undefined || opened === edited) return;
  const expected = `${edited}: it was changed after this form was opened; save again to replace that`;
  throw new InvalidInput([{ path: 'opened', given: opened, expected }]);
}
