/** Preprints of arXiv: keyless, exact dates, one request in three seconds over all machines. */
import { decodeXML } from 'entities';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { HOUR, MINUTE, SECOND } from '../../../engine/clock.ts';
import { SourceDown } from '../../outage.ts';
import type { Found, Query } from '../../source.ts';
import type { Adapter, Asking } from '../adapter.ts';
import { excerpt, plainText, titleOf } from '../reading/plain-text.ts';
import { publishedAt } from '../reading/published-at.ts';
import { fitting } from '../reading/read-answer.ts';
import { endpoint } from '../reading/web-address.ts';
import { withoutSigns } from '../asking/words.ts';

const WORDS_MOST = 4;
const PAGE_MOST = 100;
/** The longest feed that is read, in characters: an entry has two or three thousand. */
const FEED_MOST = 1_000_000;

const answer = z.object({ feed: z.object({ id: z.string(), entry: z.array(z.unknown()).default([]) }) });
const text = z.string().transform((raw) => decodeXML(raw));
const entry = z.object({
  id: text.pipe(z.string().regex(/^https?:\/\/arxiv\.org\/abs\/[\w.\-/]{1,60}$/)),
  title: text.pipe(z.string().regex(/\S/)),
  summary: text.catch(''),
  published: text.transform((raw) => publishedAt(raw)).pipe(z.date()),
});
const failure = z.object({ id: z.string().regex(/^https?:\/\/arxiv\.org\/api\/errors/) });

/** Everything is text; no entity is replaced here, so that none can grow. */
const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
  isArray: (name) => name === 'entry',
});

export function arxiv(settings: { at?: string | undefined } = {}): Adapter {
  const { at = 'https://export.arxiv.org' } = settings;
  return {
    name: 'arxiv',
    source: 'preprint',
    title: 'arXiv',
    dates: 'exact',
    terms:
      'One request in three seconds from all machines together; metadata are CC0, papers are only linked to.',
    pace: { perMinute: 19, burst: 1 },
    everyMs: 3_100,
    wordings: 'own',
    mostMs: 8 * SECOND,
    restMs: MINUTE,
    // The feed changes once a day.
    lifeMs: 6 * HOUR,
    async probe(asking) {
      await search(at, { search_query: 'all:science', max_results: '1' }, asking);
    },
    async find(query, asking) {
      const wish = wishOf(query);
      if (wish === '') return [];
      const params = {
        search_query: wish,
        start: '0',
        max_results: String(Math.min(query.limit, PAGE_MOST)),
        sortBy: 'relevance',
        sortOrder: 'descending',
      };
      return (await search(at, params, asking)).map(foundOf);
    },
  };
}

/**
 * There is one attempt only, so it asks for the best word and, of three or more, any of the others: all of
 * them would find nothing, and relevance puts those first that hold the most.
 */
function wishOf(query: Query): string {
  const given = query.keywords.length > 0 ? query.keywords : query.prompt.toLowerCase().split(/\s+/u);
  const [first, ...others] = given
    .map(withoutSigns)
    .filter((word) => word !== '')
    .slice(0, WORDS_MOST)
    .map(termOf);
  if (first === undefined) return '';
  const wishes = [first];
  if (others.length > 0) wishes.push(others.length === 1 ? others.join('') : `(${others.join(' OR ')})`);
  if (query.from !== undefined) wishes.push(`submittedDate:[${minute(query.from)} TO ${minute(query.to)}]`);
  return wishes.join(' AND ');
}

function termOf(word: string): string {
  return word.includes(' ') ? `all:"${word}"` : `all:${word}`;
}

/** `202611211200`, in UTC. */
function minute(date: Date): string {
  return date.toISOString().slice(0, 16).replace(/\D/g, '');
}

async function search(
  at: string,
  params: Record<string, string>,
  { ask }: Asking,
): Promise<z.infer<typeof entry>[]> {
  // An error is a feed too: with 400, and in older times with 200.
  const reply = await ask({ url: endpoint(at, 'api/query', params), reads: [400] });
  const { entry: entries } = readFeed(reply.text);
  if (reply.status === 400 || entries.some((one) => failure.safeParse(one).success)) {
    throw new SourceDown('source_refused', { detail: 'answered with an error' });
  }
  return fitting(entries, entry);
}

/** @throws SourceDown `source_failed` when it is not a feed of theirs */
function readFeed(xml: string): z.infer<typeof answer>['feed'] {
  // A feed has no document type, and all that entities can do begins with one.
  const tree = xml.length > FEED_MOST || xml.includes('<!DOCTYPE') ? undefined : treeOf(xml);
  if (tree === undefined) throw new SourceDown('source_failed', { detail: 'its answer is not a feed' });
  const read = answer.safeParse(tree);
  if (!read.success) throw new SourceDown('source_failed', { detail: 'its answer has another shape' });
  return read.data.feed;
}

/** Undefined where it is not well-formed, or nested beyond measure. */
function treeOf(xml: string): unknown {
  try {
    return XMLValidator.validate(xml) === true ? parser.parse(xml) : undefined;
  } catch {
    return undefined;
  }
}

function foundOf(paper: z.infer<typeof entry>): Found {
  const summary = plainText(paper.summary);
  return {
    source: 'preprint',
    title: titleOf(paper.title),
    link: paper.id.replace(/^http:/, 'https:'),
    snippet: excerpt(summary),
    summaryDescription: excerpt(/^.+?[.!?](?=\s|$)/u.exec(summary)?.[0] ?? ''),
    publishedAt: paper.published,
  };
}
