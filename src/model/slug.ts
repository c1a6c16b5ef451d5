/** Slugs: the short names of topics, searches, rules and channels. The CHECK constraints of their tables have the same rule. */
import { InvalidInput, type Problem } from './errors.ts';

export const SLUG_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const EXPECTED_SLUG = '1 to 63 lowercase letters, digits and hyphens, starting with a letter or digit';

/** @returns the slug; adds a problem if it is invalid */
export function checkSlug(slug: string, path: string, problems: Problem[]): string {
  if (!SLUG_PATTERN.test(slug)) problems.push({ path, given: slug, expected: EXPECTED_SLUG });
  return slug;
}

/** @throws InvalidInput if it is invalid */
export function requireSlug(slug: string, path = 'slug'): string {
  if (SLUG_PATTERN.test(slug)) return slug;
  throw new InvalidInput([{ path, given: slug, expected: EXPECTED_SLUG }]);
}
