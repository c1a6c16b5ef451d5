import { clean, TEXT_MAX } from '../../contract/text.ts';

/** A text member: cleaned and cut to `max`; a number is written out; null where there is no text. */
export function readText(value: unknown, max = TEXT_MAX): string | null {
  if (typeof value === 'string') return clean(value, max);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
}

/** A short text member (a name, a label) that says nothing when it is empty. */
export function readWord(value: unknown, max = 1_000): string | null {
  const text = readText(value, max)?.trim();
  return text === undefined || text === '' ? null : text;
}

/** What stands in a reference member that refers to nothing; nowhere else do these words mean null. */
const NO_REFERENCE = new Set(['', 'null', '<string>']);

/** Whether one of the five reference members (replied to, quoted, `quote`) holds no reference. */
export function isNoReference(value: unknown): boolean {
  return (
    value === null || value === undefined || (typeof value === 'string' && NO_REFERENCE.has(value.trim()))
  );
}

/** A truth value: `true`, `false` and their spellings; anything else is unknown. */
export function readBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' || value.length > 5) return null;
  const word = value.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}
