import type { Source } from '../../contract/enumerations.ts';
import { isPlain, own } from '../../contract/plain.ts';
import { clean } from '../../contract/text.ts';
import type { SaidElsewhere } from './elsewhere.ts';
import type { LinkRef, ReadLink } from './findings.ts';
import type { Item, Taken } from './items.ts';
import { readLink } from './link.ts';
import type { Rejects } from './reject.ts';
import { readBoolean, readText } from './text.ts';
import { readTime } from './time.ts';

const SNIPPET_MAX = 10_000;
const TITLE_MAX = 2_000;

/** The found links of one answer, each canonical address once. */
export type LinkShelf = {
  /**
   * Takes a search result of a group. It is refused where its address is no web address, and unreadable
   * where it is no search result at all (no object, no address); either way a reject is written.
   */
  addResult(item: Item, source: Source): Taken;
  /** Takes an address that stands in no group, with what the answer says of it elsewhere. */
  addAddress(link: LinkRef, said: SaidElsewhere): void;
  readonly size: number;
  take(): ReadLink[];
};

export function createLinkShelf(rejects: Rejects): LinkShelf {
  const found = new Map<string, ReadLink>();

  function place(link: ReadLink): void {
    const before = found.get(link.canonical);
    found.set(link.canonical, before === undefined ? link : merged(before, link));
  }

  return {
    addResult({ path, value }, source) {
      if (!isPlain(value)) {
        rejects.add(path, 'not_an_object', value);
        return 'unreadable';
      }
      const member = isBlank(own(value, 'link')) && !isBlank(own(value, 'url')) ? 'url' : 'link';
      const { link, code } = readLink(value[member]);
      if (link === undefined) {
        rejects.add(`${path}.${member}`, code, value[member] ?? value);
        return code === 'no_link' ? 'unreadable' : 'refused';
      }
      place({
        ...link,
        source,
        title: readText(value.title, TITLE_MAX),
        snippet: readText(value.snippet, SNIPPET_MAX),
        summary_description: readText(value.summary_description, SNIPPET_MAX),
        with_metadata: readBoolean(value.with_metadata),
        published_at: readTime(value.published_date) ?? readTime(value.published_at) ?? readTime(value.date),
      });
      return 'read';
    },
    addAddress(link, { source, title }) {
      if (found.has(link.canonical)) return;
      place({ ...link, ...NOTHING_SAID, source, title: title === null ? null : clean(title, TITLE_MAX) });
    },
    get size() {
      return found.size;
    },
    take: () => [...found.values()],
  };
}

const NOTHING_SAID = {
  snippet: null,
  summary_description: null,
  with_metadata: null,
  published_at: null,
};

/** The first copy stays, with what only a later one says. */
function merged(before: ReadLink, later: ReadLink): ReadLink {
  return {
    ...before,
    title: before.title || later.title,
    snippet: before.snippet || later.snippet,
    summary_description: before.summary_description || later.summary_description,
    with_metadata: before.with_metadata ?? later.with_metadata,
    published_at: before.published_at ?? later.published_at,
  };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** A list of bare addresses as references, each once, in order; what is no link becomes a reject. */
export function readLinkRefs(items: readonly Item[], rejects: Rejects): LinkRef[] {
  const refs = new Map<string, LinkRef>();
  for (const { path, value } of items) {
    const { link, code } = readLink(value);
    if (link === undefined) rejects.add(path, code, value);
    else if (!refs.has(link.canonical)) refs.set(link.canonical, link);
  }
  return [...refs.values()];
}
