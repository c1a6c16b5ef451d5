/** `FEEDS` and `PAGES`: which feeds to read and which pages to watch, as a list or a file with it. */

import { z } from 'zod';
import { splitList } from '../../../config/variable.ts';
import { InvalidInput } from '../../../model/errors.ts';
import { isOpml, listLines, listOpmlFeeds } from '../../../lib/opml.ts';
import { readSmallFile } from '../../../platform/small-file.ts';
import { toShownLink } from '../parse/provider-addresses.ts';
import { isWithinDomains } from '../provider-query.ts';
import { findKnownFeed } from './known-sites.ts';
import { NEWS_SITES } from './news-sites.ts';

const MAX_ADDRESSES = 100;
const LANGUAGES = Object.keys(NEWS_SITES);
const EXPECTED_PAGES = 'URLs of pages, comma-separated, or the path of a file with one a line';
const EXPECTED_FEEDS = `none, or URLs of feeds and sites, languages of the starting list (${LANGUAGES.join(', ')}; local: English and that of the machine) and hosts to leave out (-host), comma-separated, or the path of a file with one a line or OPML`;

const EXCLUDED_HOST = /^-((?:[a-z\d-]{1,63}\.){1,10}[a-z\d-]{1,63})$/;

/** Addresses of feeds and sites, without duplicates; empty for `none`. */
export const feedList = listOf('FEEDS', EXPECTED_FEEDS, (entries) => {
  const hosts = entries.flatMap((entry) => EXCLUDED_HOST.exec(entry)?.[1] ?? []);
  return (entry) => {
    if (EXCLUDED_HOST.test(entry)) return [];
    const addresses =
      readLanguage(entry) ?? readAddress(entry)?.map((address) => findKnownFeed(new URL(address)) ?? address);
    return addresses?.filter((address) => isWithinDomains(address, { include: [], exclude: hosts }));
  };
});

/** Addresses of pages, without duplicates; empty for `none`. */
export const pageList = listOf('PAGES', EXPECTED_PAGES, () => readAddress);

/** @param readIn of all entries; returns what reads the addresses of an entry: undefined if the entry is invalid */
function listOf(
  name: string,
  expected: string,
  readIn: (entries: readonly string[]) => (entry: string) => readonly string[] | undefined,
) {
  return z
    .string()
    .transform((text, ctx): string[] => {
      const problem = (what: string) => {
        ctx.addIssue({ code: 'custom', message: `${expected} (${what})` });
        return z.NEVER;
      };
      let entries: string[];
      try {
        entries = isPath(text) ? readListFile(text, name) : splitList(text);
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return problem('the file cannot be read');
      }
      if (entries.length === 1 && entries[0] === 'none') return [];
      const lists = entries.map(readIn(entries));
      const wrong = lists.indexOf(undefined);
      if (wrong !== -1) return problem(`not so entry ${wrong + 1}`);
      const addresses = [...new Set(lists.flatMap((each) => each ?? []))];
      if (addresses.length > MAX_ADDRESSES) return problem(`at most ${MAX_ADDRESSES}`);
      return addresses;
    })
    .describe(expected);
}

function readAddress(entry: string): string[] | undefined {
  const link = toShownLink(entry);
  return link === undefined ? undefined : [new URL(link).href];
}

/** One entry that is nothing else; also a Windows path. */
function isPath(text: string): boolean {
  return /[\\/]|\.(?:txt|opml|xml)$/i.test(text) && !/^https?:/i.test(text) && !text.includes(',');
}

/** @throws InvalidInput if it cannot be read */
function readListFile(file: string, name: string): string[] {
  const text = readSmallFile(file, name);
  return isOpml(text) ? listOpmlFeeds(text).map(({ address }) => address) : listLines(text);
}

/** The word for the language of the machine. */
const LOCAL = 'local';

/** @param locale of the machine, such as `de-DE`: that of its environment or its settings */
export function listLocalLanguages(locale = new Intl.DateTimeFormat().resolvedOptions().locale): string[] {
  const [language = ''] = locale.toLowerCase().split(/[-_]/);
  return [...new Set([language, 'en'])].filter((each) => LANGUAGES.includes(each));
}

function readLanguage(entry: string): readonly string[] | undefined {
  if (entry === LOCAL) return listLocalLanguages().flatMap((language) => readLanguage(language) ?? []);
  return Object.entries(NEWS_SITES).find(([language]) => language === entry)?.[1];
}
