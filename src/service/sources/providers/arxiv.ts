/** arXiv preprints: no key, exact dates, one request every three seconds from all machines. */
import { decodeXML } from 'entities';
import { z } from 'zod';
import { HOUR, MINUTE, SECOND } from '../../../lib/time.ts';
import { SourceDown } from '../outage.ts';
import type { FoundItem, SourceQuery } from '../search-source.ts';
import { type Adapter, type AdapterContext, defineSource } from '../adapter.ts';
import { toExcerpt, toPlainText, toTitle } from '../parse/plain-text.ts';
import { parsePublishedAt } from '../parse/published-at.ts';
import { parseFittingItems } from '../parse/payload.ts';
import { buildEndpoint } from '../parse/provider-addresses.ts';
import { formatDigits, isPhrase, reportIfFull, stripSigns } from '../provider-query.ts';

const MAX_WORDS = 4;
const MAX_PAGE_SIZE = 100;
/** Maximum feed length in characters: an entry has two to three thousand. */
const MAX_FEED_LENGTH = 1_000_000;

const feedPayload = z.object({ feed: z.object({ id: z.string(), entry: z.array(z.unknown()).default([]) }) });
const xmlText = z.string().transform((raw) => decodeXML(raw));
const feedEntry = z.object({
  id: xmlText.pipe(z.string().regex(/^https?:\/\/arxiv\.org\/abs\/[\w.\-/]{1,60}$/)),
  title: xmlText.pipe(z.string().regex(/\S/)),
  summary: xmlText.catch(''),
  published: xmlText.transform((raw) => parsePublishedAt(raw)).pipe(z.date()),
});
const feedError = z.object({ id: z.string().regex(/^https?:\/\/arxiv\.org\/api\/errors/) });

export const ARXIV = defineSource({
  facts: {
    name: 'arxiv',
    source: 'preprint',
    title: 'arXiv',
    dates: 'exact',
    sample: 'language models',
    brings: 'preprints',
    terms:
      'One request in three seconds from all machines together; metadata are CC0, papers are only linked to.',
    pace: { perMinute: 19, burst: 1 },
    everyMs: 3_100,
    wordings: 'own',
    timeoutMs: 8 * SECOND,
    pauseMs: MINUTE,
    // The feed is updated daily.
    ttlMs: 6 * HOUR,
  },
  variables: {},
  make: (_, { at }) => arxiv({ at }),
});

export function arxiv(settings: { at?: string | undefined } = {}): Adapter {
  const { at = 'https://export.arxiv.org' } = settings;
  return {
    ...ARXIV.facts,
    async probe(context) {
      await searchPapers(at, { search_query: 'all:science', max_results: '1' }, context);
    },
    async find(query, context) {
      const searchQuery = buildSearchQuery(query);
      if (searchQuery === '') return [];
      const most = Math.min(query.limit * 2, MAX_PAGE_SIZE);
      const params = {
        search_query: searchQuery,
        start: '0',
        max_results: String(most),
        sortBy: query.from === undefined ? 'relevance' : 'submittedDate',
        sortOrder: 'descending',
      };
      const papers = await searchPapers(at, params, context);
      reportIfFull(context, papers, most);
      return papers.map(toFoundItem);
    },
  };
}

/**
 * With a single attempt, requires the best word and, of three or more, any of the others: requiring all would find
 * nothing, and ranking by relevance puts items with most of them first.
 */
function buildSearchQuery(query: SourceQuery): string {
  const words = query.keywords.length > 0 ? query.keywords : query.prompt.toLowerCase().split(/\s+/u);
  const [first, ...others] = words
    .map(stripSigns)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map((word) => toSearchTerm(word, query));
  if (first === undefined) return '';
  const conditions = [first];
  if (others.length > 0) conditions.push(others.length === 1 ? others.join('') : `(${others.join(' OR ')})`);
  if (query.from !== undefined)
    conditions.push(`submittedDate:[${formatDigits(query.from, 12)} TO ${formatDigits(query.to, 12)}]`);
  return conditions.join(' AND ');
}

/** A pair of neighbors is searched as its words, in any order. */
function toSearchTerm(word: string, query: SourceQuery): string {
  if (isPhrase(word, query)) return `all:"${word}"`;
  const terms = word.split(' ').map((each) => `all:${each}`);
  return terms.length === 1 ? terms.join('') : `(${terms.join(' AND ')})`;
}

async function searchPapers(
  at: string,
  params: Record<string, string>,
  { ask }: AdapterContext,
): Promise<z.infer<typeof feedEntry>[]> {
  // Errors are feeds, too: with status 400, formerly 200.
  const reply = await ask({ url: buildEndpoint(at, 'api/query', params), reads: [400] });
  const { entry: entries } = await parseFeed(reply.text);
  if (reply.status === 400 || entries.some((entry) => feedError.safeParse(entry).success)) {
    throw new SourceDown('source_refused', { detail: 'returned an error' });
  }
  return parseFittingItems(entries, feedEntry);
}

/** @throws SourceDown `source_failed` if it is not an arXiv feed */
async function parseFeed(xml: string): Promise<z.infer<typeof feedPayload>['feed']> {
  // A feed has no document type, which entity attacks require.
  const tree = xml.length > MAX_FEED_LENGTH || xml.includes('<!DOCTYPE') ? undefined : await parseXml(xml);
  if (tree === undefined) throw new SourceDown('source_failed', { detail: 'the response is not a feed' });
  const read = feedPayload.safeParse(tree);
  if (!read.success) throw new SourceDown('source_failed', { detail: 'unexpected response format' });
  return read.data.feed;
}

/**
 * Undefined if it is not well-formed or nested too deeply. Imported here so that reading the configuration does not
 * load the parser.
 */
async function parseXml(xml: string): Promise<unknown> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  // Everything is text. Entities are not expanded here, so that none can grow.
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    processEntities: false,
    isArray: (name) => name === 'entry',
  });
  try {
    return XMLValidator.validate(xml) === true ? parser.parse(xml) : undefined;
  } catch {
    return undefined;
  }
}

function toFoundItem(paper: z.infer<typeof feedEntry>): FoundItem {
  const summary = toPlainText(paper.summary);
  return {
    source: 'preprint',
    title: toTitle(paper.title),
    link: paper.id.replace(/^http:/, 'https:'),
    snippet: toExcerpt(summary),
    summaryDescription: toExcerpt(/^.+?[.!?](?=\s|$)/u.exec(summary)?.[0] ?? ''),
    publishedAt: paper.published,
  };
}
