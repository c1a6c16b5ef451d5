import { createHash } from 'node:crypto';

/** A slug from any text: its letters and digits, or a hash where it has none that a slug may hold. */
export function slugOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
  return plain.length >= 2 ? plain : `topic-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}
