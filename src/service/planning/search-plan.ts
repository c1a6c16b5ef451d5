/** What a request asks each source, and what comes of it: shown to people with the answer, and while they wait. */
import { findTool } from '../../model/enumerations.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { AskedSource, ModelPlanReport, OpenedPages } from '../../model/asked-source.ts';
import type { OutageCode } from '../../model/tool-coverage.ts';
import type { FoundItem, SearchSource } from '../sources/search-source.ts';

/** Maximum number of queries shown for one source. */
const MAX_QUERIES = 6;

/** One query of a source, with one wording. */
type PlannedQuery = {
  /** Words as they were sent; a source that matches by itself sends none. */
  sent: (words: string) => void;
  end: (outcome: { items: readonly FoundItem[] } | { code: OutageCode; message: string }) => void;
};

export type SearchPlan = {
  ask: (source: SearchSource) => PlannedQuery;
  /** All sources that were asked so far, in the order in which they were. */
  list: () => AskedSource[];
  /** Calls `onChange` when a source is asked, and when its last query has ended. @returns ends that */
  watch: (onChange: (sources: AskedSource[]) => void) => () => void;
  /** Notes the pages that were opened. */
  addPages: (pages: OpenedPages) => void;
  /** Notes what a language model planned. */
  addModelPlan: (planned: ModelPlanReport) => void;
  /** As a member of the answer, if the request asked for it. */
  member: () => { plan?: { sources: AskedSource[]; pages?: OpenedPages; by_model?: ModelPlanReport } };
};

type Entry = Omit<AskedSource, 'state' | 'results'> & {
  /** When it was asked first, monotonic. */
  began: number;
  /** Queries without an end. */
  pending: number;
  links: Set<string>;
  answered: boolean;
  /** A placeholder of a tool without sources. */
  unavailable: boolean;
};

/** @param isShown whether it is part of the answer */
export function createSearchPlan(isShown: boolean): SearchPlan {
  const watchers = new Set<(sources: AskedSource[]) => void>();
  const onChange = (sources: AskedSource[]) => {
    for (const watcher of watchers) watcher(sources);
  };
  const entries = new Map<string, Entry>();
  let pages: OpenedPages | undefined;
  let byModel: ModelPlanReport | undefined;
  // A placeholder of a tool without sources is asked nothing.
  const list = () =>
    [...entries.values()]
      .filter(({ unavailable, pending }) => !unavailable || pending === 0)
      .map(toAskedSource);
  return {
    list,
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    addPages(opened) {
      pages = opened;
    },
    addModelPlan(planned) {
      byModel = planned;
    },
    member: () =>
      isShown
        ? { plan: { sources: list(), ...(pages && { pages }), ...(byModel && { by_model: byModel }) } }
        : {},
    ask(source) {
      const known = entries.get(nameEntry(source));
      const entry = known ?? createEntry(source);
      entries.set(nameEntry(source), entry);
      entry.pending += 1;
      if (known === undefined) onChange(list());
      return {
        sent(words) {
          if (entry.queries.length < MAX_QUERIES && !entry.queries.includes(words)) entry.queries.push(words);
        },
        end(outcome) {
          entry.pending -= 1;
          entry.ms = Math.round(monotonicMs() - entry.began);
          if ('items' in outcome) {
            entry.answered = true;
            for (const { link } of outcome.items) entry.links.add(link);
          } else Object.assign(entry, outcome);
          if (entry.pending === 0) onChange(list());
        },
      };
    },
  };
}

const nameEntry = ({ name, source }: SearchSource) => `${source} ${name}`;

function createEntry({ name, source, unavailable }: SearchSource): Entry {
  return {
    source: name,
    tool: findTool(source),
    queries: [],
    ms: null,
    code: null,
    message: null,
    pending: 0,
    links: new Set(),
    answered: false,
    unavailable: unavailable === true,
    began: monotonicMs(),
  };
}

/** A source that answered one wording has answered. */
function toAskedSource({
  source,
  tool,
  queries,
  ms,
  pending,
  links,
  answered,
  ...entry
}: Entry): AskedSource {
  const state = pending > 0 ? 'asked' : answered ? 'answered' : 'failed';
  const { code, message } = state === 'failed' ? entry : { code: null, message: null };
  return { source, tool, queries: [...queries], state, results: links.size, ms, code, message };
}
