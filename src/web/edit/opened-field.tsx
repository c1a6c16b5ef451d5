/** Prevents a form that was opened before another edit from silently undoing that edit. */

import { InvalidInput, type Problem } from '../../model/errors.ts';
import { type FormValues, OPENED } from '../components/form.tsx';
import { readField } from '../request-input.ts';

/** @param props.edited what the edit starts from, on one line; it differs after each edit */
export function OpenedField({
  edited,
  values = {},
  problems,
}: {
  edited: string;
  values: FormValues | undefined;
  problems: readonly Problem[];
}) {
  // Saving again after this problem was shown replaces the other edit.
  const isConflict = problems.some(({ path }) => path === OPENED);
  const opened = isConflict ? undefined : readField(values, OPENED);
  return <input type="hidden" name={OPENED} value={opened ?? edited} />;
}

/**
 * @param edited what {@link OpenedField} would have now
 * @throws InvalidInput with a problem of {@link OPENED} if it changed since the form was opened
 */
export function assertNotEdited(values: FormValues, edited: string): void {
  const opened = readField(values, OPENED);
  if (opened === undefined || opened === edited.trim()) return;
  const expected = `what was saved since this form was opened; save again to replace it: ${edited}`;
  throw new InvalidInput([{ path: OPENED, given: opened, expected }]);
}
