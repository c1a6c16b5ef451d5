/** `FEEDS`: which feeds to read, as a list or a file with it. */

import { decodeXML } from 'entities';
import { z } from 'zod';
import { splitList } from '../../../config/variable.ts';
import { InvalidInput } from '../../../domain/errors.ts';
import { parseUrl } from '../../../domain/link.ts';
import { readSmallFile } from '../../../platform/small-file.ts';
import { toShownLink } from '../parse/provider-addresses.ts';
import { findKnownFeed } from './known-sites.ts';
import { NEWS_SITES } from './news-sites.ts';

const MAX_FEEDS = 100;
const LANGUAGES = Object.keys(NEWS_SITES);
const EXPECTED = `none, or URLs of feeds and sites, languages of the starting list (${LANGUAGES.join(', ')}) and hosts to leave out (-host), comma-separated, or the path of a file with one a line or OPML`;

/** Addresses of an OPML file. */
const OPML_ADDRESS = /\sxmlUrl\s{0,9}=\s{0,9}(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})')/gi;
const EXCLUDED_HOST = /^-((?:[a-z\d-]{1,63}\.){1,10}[a-z\d-]{1,63})$/;

/** Addresses of feeds and sites, without duplicates; empty for `none`. */
export const feedList = z
  .string()
  .transform((text, ctx): string[] => {
    const problem = (what: string) => {
      ctx.addIssue({ code: 'custom', message: `${EXPECTED} (${what})` });
      return z.NEVER;
    };
    let entries: string[];
    try {
      entries = isPath(text) ? readFeedFile(text) : splitList(text);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return problem('the file cannot be read');
    }
    if (entries.length === 1 && entries[0] === 'none') return [];
    const addresses: string[] = [];
    const excluded: string[] = [];
    for (const [i, entry] of entries.entries()) {
      const host = EXCLUDED_HOST.exec(entry)?.[1];
      const ofLanguage = readLanguage(entry);
      const link = toShownLink(entry);
      if (host !== undefined) excluded.push(host);
      else if (ofLanguage !== undefined) addresses.push(...ofLanguage);
      else if (link !== undefined) addresses.push(findKnownFeed(new URL(link)) ?? new URL(link).href);
      else return problem(`not so entry ${i + 1}`);
    }
    const wanted = [...new Set(addresses)].filter((address) => !isExcluded(address, excluded));
    return wanted.length > MAX_FEEDS ? problem(`at most ${MAX_FEEDS}`) : wanted;
  })
  .describe(EXPECTED);

/** One entry that is nothing else; also a Windows path. */
function isPath(text: string): boolean {
  return /[\\/]|\.(?:txt|opml|xml)$/i.test(text) && !/^https?:/i.test(text) && !text.includes(',');
}

/** @throws InvalidInput if it cannot be read */
function readFeedFile(file: string): string[] {
  const text = readSmallFile(file, 'FEEDS');
  if (/<opml[\s>]/i.test(text))
    return Array.from(text.matchAll(OPML_ADDRESS), ([, double = '', single = '']) =>
      decodeXML(double || single).trim(),
    );
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function readLanguage(entry: string): readonly string[] | undefined {
  return Object.entries(NEWS_SITES).find(([language]) => language === entry)?.[1];
}

function isExcluded(address: string, hosts: readonly string[]): boolean {
  const name = parseUrl(address)?.hostname ?? '';
  return hosts.some((host) => name === host || name.endsWith(`.${host}`));
}
