/** Things found, for the tests of the writers. */
import type { Source } from '../../../src/contract/enumerations.ts';
import type { Findings } from '../../../src/service/retrieve.ts';
import type { Found } from '../../../src/service/source.ts';

export const AT = new Date('2026-11-21T12:00:00.000Z');

let made = 0;

/** An item with an address of its own, an hour older than the one made before it. */
export function found(source: Source, snippet: string, rest: Partial<Found> = {}): Found {
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

export function findingsOf(...items: readonly Found[]): Findings {
  const findings = new Map<Source, Found[]>();
  for (const item of items) findings.set(item.source, [...(findings.get(item.source) ?? []), item]);
  return findings;
}
