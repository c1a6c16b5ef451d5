const TRACKING = /^(utm_\w+|fbclid|gclid)$/;

/**
 * The same page under two addresses is one link: https, no fragment, no tracking parameters, no slash at
 * the end. Only used to compare; what is answered is the address as the source gave it.
 */
export function canonicalLink(link: string): string {
  if (!URL.canParse(link)) return link;
  const url = new URL(link);
  if (url.protocol === 'http:') url.protocol = 'https:';
  url.hash = '';
  const tracking = Array.from(url.searchParams.keys()).filter((name) => TRACKING.test(name));
  for (const name of tracking) url.searchParams.delete(name);
  return url.href.replace(/\/(?=\?|$)/, '');
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
