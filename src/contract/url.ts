/**
 * An address as WHATWG reads it; undefined where it is none. Not by `URL.canParse`: once V8 has compiled a caller of it
 * for speed (after some thousand calls), Node 20 takes addresses with letters such as ü for wrong, and links to such
 * hosts would be lost in any process that runs for a while.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** An address, or its path, that another path can be put behind. In linear time, however many slashes there are. */
export function withoutEndSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}
