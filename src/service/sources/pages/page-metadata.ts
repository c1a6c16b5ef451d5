/** Date, author and language of a page, from its JSON-LD and its `<meta>` elements. */

import { isPlain, own, type Plain, tryParseJson } from '../../../lib/json-values.ts';
import { cleanLine, cleanText } from '../../../lib/text.ts';
import { DAY } from '../../../lib/time.ts';
import { MAX_TITLE_LENGTH, toPlainText, toTitle } from '../parse/plain-text.ts';
import { parsePublishedAt } from '../parse/published-at.ts';
import type { PageText } from './page-orders.ts';
import type { PageScan } from './page-scan.ts';

const MAX_AUTHOR_LENGTH = 100;
/** Types of schema.org that are a text with a time of publication of its own. */
const ARTICLE_TYPE = /(?:Article|Posting|Review|Report|WebPage|CreativeWork|Question|Recipe)$/;
const DATE_METAS = [
  'article:published_time',
  'og:article:published_time',
  'datepublished',
  'parsely-pub-date',
  'sailthru.date',
  'citation_publication_date',
  'dc.date.issued',
  'dcterms.issued',
  'dc.date',
  'dcterms.date',
  'pubdate',
  'publishdate',
  'publish-date',
  'date',
];
const AUTHOR_METAS = ['author', 'article:author', 'parsely-author', 'dc.creator', 'citation_author'];

/** Without the text. */
export function readMetadata(scan: PageScan): Omit<PageText, 'paragraphs'> {
  const things = scan.linkedData.flatMap((text) => listThings(tryParseJson(text)));
  const meta = (names: readonly string[]) =>
    names.flatMap((name) =>
      scan.metas.filter((element) => element.name === name).map(({ content }) => content),
    );
  const dates = [
    ...things.map((thing) => own(thing, 'datePublished')),
    ...meta(DATE_METAS),
    ...scan.times,
  ].flatMap((text) => readTime(text) ?? []);
  const authors = [...things.flatMap((thing) => readNames(own(thing, 'author'))), ...meta(AUTHOR_METAS)];
  const languages = [
    scan.language,
    ...things.map((thing) => own(thing, 'inLanguage')),
    ...meta(['og:locale', 'dc.language', 'language']),
  ];
  const [title = scan.title] = meta(['og:title']);
  return {
    title: toTitle(cleanText(title, MAX_TITLE_LENGTH * 2)),
    author: authors.map(readAuthor).find((name) => name !== undefined) ?? null,
    language: languages.map(readLanguage).find((code) => code !== undefined) ?? null,
    publishedAt: dates[0] ?? null,
  };
}

/** Whether the page forbids that its text is quoted, as search engines understand it. */
export function forbidsQuotation({ metas }: PageScan, header: string): boolean {
  const rules = metas.filter(({ name }) => name === 'robots' || name === 'strandline');
  return [header, ...rules.map(({ content }) => content)].some((text) =>
    /(?:^|[\s,:])(?:none|nosnippet|max-snippet\s?:\s?0)(?=$|[\s,])/i.test(text),
  );
}

/** The articles that a text of JSON-LD is about; not those that it lists, such as related ones. */
function listThings(data: unknown): Plain[] {
  const all = Array.isArray(data) ? data : [data];
  return all.flatMap((thing) => {
    if (!isPlain(thing)) return [];
    const graph = own(thing, '@graph');
    const listed = Array.isArray(graph) ? graph.filter(isPlain) : [];
    return [thing, ...listed].filter((candidate) => hasArticleType(candidate));
  });
}

function hasArticleType(thing: Plain): boolean {
  const type = own(thing, '@type');
  return (Array.isArray(type) ? type : [type]).some(
    (name) => typeof name === 'string' && ARTICLE_TYPE.test(name),
  );
}

/** ISO 8601; undefined for what is no time, or lies before the web. Times ahead of the clock are for the caller to judge. */
function readTime(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const at = parsePublishedAt(text.trim());
  return at !== undefined && at.getTime() > 20 * 365 * DAY ? at.toISOString() : undefined;
}

function readNames(author: unknown): unknown[] {
  return (Array.isArray(author) ? author.slice(0, 3) : [author]).map((entry) =>
    isPlain(entry) ? own(entry, 'name') : entry,
  );
}

/** A name; not the address of a profile. */
function readAuthor(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const name = cleanLine(toPlainText(text)).replace(/^by\s/i, '');
  return name === '' || name.length > MAX_AUTHOR_LENGTH || /^https?:|@[^\s@]{1,250}\.\w/.test(name)
    ? undefined
    : name;
}

function readLanguage(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const code = text.trim().replace('_', '-').toLowerCase();
  return /^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,2}$/.test(code) ? code : undefined;
}
