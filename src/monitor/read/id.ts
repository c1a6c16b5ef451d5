import type { RejectCode } from '../../errors.ts';

const ID_MAX = 256;

export type ReadId =
  | { id: string; code?: undefined }
  | { id?: undefined; code: Extract<RejectCode, 'no_id' | 'bad_id' | 'unsafe_number_id'> };

/**
 * An identifier: text of 1 to 256 visible characters, taken as it is but for white space around it (so
 * `"00123"` and `"123"` are two ids, `" 123 "` and `"123"` are one). A whole number that JavaScript holds
 * exactly is its digits; a larger one was rounded before we saw it and is refused (json.ts keeps large
 * integers as text, so only `1.79e18` and its like end there).
 */
export function readId(value: unknown): ReadId {
  if (typeof value === 'string') {
    const id = value.trim();
    return isId(id) ? { id } : { code: 'bad_id' };
  }
  if (value === undefined || value === null) return { code: 'no_id' };
  if (typeof value !== 'number' || value < 0) return { code: 'bad_id' };
  if (Number.isSafeInteger(value)) return { id: String(value) };
  return { code: Number.isInteger(value) ? 'unsafe_number_id' : 'bad_id' };
}

/** The id that a reference member points to, or null. */
export function readReference(value: unknown): string | null {
  return readId(value).id ?? null;
}

/** The id that stands in a post's address (`https://host/name/status/123`), or null. */
export function idInAddress(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > 2_048) return null;
  return (
    /^https?:\/\/[^/?#]+\/(?:[^/?#]+\/)*status(?:es)?\/(\d{1,25})(?:[/?#]|$)/i.exec(address)?.[1] ?? null
  );
}

function isId(text: string): boolean {
  if (text.length === 0 || text.length > ID_MAX) return false;
  return /^[\w:.@/#-]+$/.test(text) || !/[\s\p{C}]/u.test(text);
}
