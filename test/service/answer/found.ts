/** Found items, for the tests of completions. */
import type { Source } from '../../../src/model/enumerations.ts';
import type { Findings } from '../../../src/service/planning/retrieval.ts';
import type { FoundItem } from '../../../src/service/sources/search-source.ts';

export const AT = new Date('2026-11-21T12:00:00.000Z');

let made = 0;

/** An item with an address of its own, an hour older than the one made before it. */
export function found(source: Source, snippet: string, rest: Partial<FoundItem> = {}): FoundItem {
  made += 1;
  return {
    source,
    title: '',
    link: `https://${source.replace('_', '-')}.example/${made}`,
    snippet,
    summaryDescription: '',
    publishedAt: new Date(AT.getTime() - made * 3_600_000),
    ...rest,
  };
}

export function findingsOf(...items: readonly FoundItem[]): Findings {
  const findings = new Map<Source, FoundItem[]>();
  for (const item of items) findings.set(item.source, [...(findings.get(item.source) ?? []), item]);
  return findings;
}
