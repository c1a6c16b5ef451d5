import { canonicalAddress } from '../contract/link.ts';

/** Equal for two spellings of one link. Only used to compare; what is answered is the address as the source gave it. */
export function canonicalLink(link: string): string {
  return canonicalAddress(link) ?? link;
}

/** The first of each, where the same page counts once. */
export function distinctByLink<T extends { link: string }>(items: readonly T[]): T[] {
  const seen = new Set<string>();
  return items.filter(({ link }) => {
    const canonical = canonicalLink(link);
    if (seen.has(canonical)) return false;
    seen.add(canonical);
    return true;
  });
}
