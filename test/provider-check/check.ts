/** Searches once with a configured source, and compares what it returns with what its adapter promises. */
import { DAY } from '../../src/lib/time.ts';
import { monotonicMs } from '../../src/platform/clock.ts';
import { planWordings } from '../../src/service/planning/wordings.ts';
import type { Adapter } from '../../src/service/sources/adapter.ts';
import { createLiveSource, type LiveOptions } from '../../src/service/sources/live-source.ts';
import { SourceDown } from '../../src/service/sources/outage.ts';
import { FORMATS, type ParsedFormat } from '../../src/service/sources/parse/payload.ts';
import type { FoundItem } from '../../src/service/sources/search-source.ts';
import { createFormatReport } from './format.ts';

export type SourceCheck = {
  name: string;
  /** `unreached`: no response at all, so nothing is known about its format. */
  outcome: 'ok' | 'differs' | 'empty' | 'failed' | 'unreached';
  results: number;
  dated: number;
  ms: number;
  /** What is not as expected. */
  differences: string[];
  /** Optional members of its format that no response had. */
  unseen: string[];
};

const WINDOW_MS = 30 * DAY;
const LIMIT = 10;
const MAX_SOURCE_MS = 25_000;

export async function checkSource(adapter: Adapter, options: LiveOptions): Promise<SourceCheck> {
  const source = createLiveSource(adapter, options);
  const formats = createFormatReport();
  // Nothing else publishes: sources are checked one after the other.
  const listen = (message: unknown) => formats.add(message as ParsedFormat);
  const to = options.clock.now();
  const from = new Date(to.getTime() - WINDOW_MS);
  const began = monotonicMs();
  let found: readonly FoundItem[] = [];
  let failure: string | undefined;
  FORMATS.subscribe(listen);
  try {
    const signal = AbortSignal.timeout(MAX_SOURCE_MS);
    const query = { ...planWordings(adapter.sample).own, from, to, limit: LIMIT };
    found = await source.find({ ...query, timeoutMs: MAX_SOURCE_MS, signal });
  } catch (error) {
    if (!(error instanceof SourceDown)) throw error;
    failure = error.message;
  } finally {
    FORMATS.unsubscribe(listen);
  }
  const problems = adapter.problems?.() ?? [];
  const isEmpty = failure === undefined && found.length === 0;
  const differences = [
    ...(failure === undefined ? [] : [failure]),
    ...problems,
    ...formats.differences(),
    ...compareItems(found, adapter, from, to),
    ...(isEmpty && adapter.addresses !== 'own' ? [`nothing found for "${adapter.sample}" in 30 days`] : []),
  ];
  return {
    name: adapter.name,
    outcome: chooseOutcome({ failure, problems, isEmpty, differences }),
    results: found.length,
    dated: found.filter(({ publishedAt }) => publishedAt !== undefined).length,
    ms: Math.round(monotonicMs() - began),
    differences,
    unseen: formats.unseen(),
  };
}

function chooseOutcome(seen: {
  failure: string | undefined;
  problems: readonly string[];
  isEmpty: boolean;
  differences: readonly string[];
}): SourceCheck['outcome'] {
  const { failure, problems, isEmpty, differences } = seen;
  if (failure !== undefined) {
    const reasons = problems.length > 0 ? problems : [failure];
    return reasons.every((reason) => reason.includes('no response (')) ? 'unreached' : 'failed';
  }
  if (differences.length === 0) return 'ok';
  return isEmpty ? 'empty' : 'differs';
}

/** What the results lack that the source promises. */
function compareItems(found: readonly FoundItem[], { dates }: Adapter, from: Date, to: Date): string[] {
  const count = (is: (item: FoundItem) => boolean, words: string) => {
    const some = found.filter(is).length;
    return some === 0 ? [] : [`${words} in ${some} of ${found.length} results`];
  };
  return [
    ...count(({ title }) => title.trim() === '', 'empty title'),
    ...(dates === 'exact' ? count(({ publishedAt }) => publishedAt === undefined, 'no readable date') : []),
    ...count(({ publishedAt }) => (publishedAt?.getTime() ?? 0) > to.getTime() + DAY, 'date in the future'),
    ...(dates === 'exact'
      ? count(
          ({ publishedAt: at }) => at !== undefined && at.getTime() < from.getTime() - DAY,
          'older than asked for',
        )
      : []),
  ];
}
