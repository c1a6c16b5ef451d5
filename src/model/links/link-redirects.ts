/**
 * Addresses that lead to another one that they contain, read without a request: those of search engines, alerts, social
 * networks, and filters of mail. `redirecting-hosts.ts` has the hosts. Pure.
 */

import { createHostTable } from '../../lib/host-table.ts';
import { isPlain } from '../../lib/json-values.ts';
import { normalizeHost, parseWebUrl, trimEndSlashes } from './link.ts';
import { REDIRECTING_HOSTS } from './redirecting-hosts.ts';

/** Reads the address from where a row says it is; undefined if there is none. */
type Read = (url: URL, path: string) => string | undefined;

const READERS: Readonly<Record<string, Read>> = {
  '(query)': ({ search }) => keepEscapes(search.slice(1)),
  '(path)': readRestOfPath,
  '(star)': ({ pathname, search }, path) => {
    const star = pathname.lastIndexOf('*');
    return star < path.length ? undefined : keepEscapes(pathname.slice(star + 1) + search);
  },
  '(yahoo)': ({ pathname }) => /\/RU=([^/]+)/.exec(pathname)?.[1],
  '(underscores)': ({ href }) => keepEscapes(/^[^_]*___(https?:.+?)___/i.exec(href)?.[1] ?? ''),
  '(bing)': (url) => {
    const value = readRaw(url, 'u');
    return value?.startsWith('a1') === true ? keepEscapes(decodeBase64(value.slice(2)) ?? '') : undefined;
  },
  '(google-news)': readGoogleNews,
  '(substack)': readSubstack,
  '(proofpoint-2)': (url) => readRaw(url, 'u')?.replaceAll('-', '%').replaceAll('_', '/'),
  '(proofpoint-3)': readProofpoint3,
};

type Row = { path: string; read: Read };

const TABLE = createHostTable(
  REDIRECTING_HOSTS.trim()
    .split('\n')
    .map((line): [string, Row] => {
      const [host = '', path = '', ...where] = line.split(/\s+/);
      return [host, { path, read: READERS[where[0] ?? ''] ?? ((url) => readParameters(url, where)) }];
    }),
);

/**
 * The address that one redirects to, as it was written; null if it does not redirect, or to something that is no link:
 * another scheme, credentials, no host. What it redirects to may redirect as well.
 */
export function readRedirect(url: URL): string | null {
  const path = trimEndSlashes(url.pathname).toLowerCase();
  for (const row of TABLE.find(normalizeHost(url).replace(/^www\./, ''))) {
    const isHere = row.path.endsWith('*') ? path.startsWith(row.path.slice(0, -1)) : path === row.path;
    const address = isHere ? unescapeAddress(row.read(url, row.path) ?? '') : '';
    if (address !== '' && parseWebUrl(address) !== null) return address;
  }
  return null;
}

/** Redirects of redirects; each is longer than what it contains. */
const MAX_REDIRECTS = 200;

/** Where an address leads to in the end; itself if it does not redirect. */
export function followRedirects(url: URL): URL {
  let end = url;
  for (let n = 0; n < MAX_REDIRECTS; n++) {
    const next = readRedirect(end);
    const target = next === null ? null : parseWebUrl(next);
    if (target === null) break;
    end = target;
  }
  return end;
}

const MAX_ENCODINGS = 3;

/** Decodes an address that is a value: once, as every value is, and further only until it begins as an address does. */
function unescapeAddress(value: string): string {
  let address = decode(value);
  for (let n = 1; n < MAX_ENCODINGS && !/^https?:\/\//i.test(address); n++) address = decode(address);
  return address;
}

/** Decodes escapes of printable ASCII. Others mean the same in the address that they are part of. */
function decode(text: string): string {
  return text.replace(/%(?:2[1-9a-f]|[3-6][\da-f]|7[\da-e])/gi, (escape) =>
    String.fromCodePoint(Number.parseInt(escape.slice(1), 16)),
  );
}

function readParameters(url: URL, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = readRaw(url, name);
    // disq.us signs the address behind its last colon.
    const address = url.hostname === 'disq.us' ? value?.replace(/(?:%3a|:)[\w-]{20,40}$/i, '') : value;
    if (address !== undefined && parseWebUrl(unescapeAddress(address)) !== null) return address;
  }
  return undefined;
}

/** A parameter without decoding; its name in any case. */
function readRaw(url: URL, name: string): string | undefined {
  const start = `${name.toLowerCase()}=`;
  const pair = url.search
    .slice(1)
    .split(/&(?:amp;)?/)
    .find((each) => each.toLowerCase().startsWith(start));
  return pair?.slice(start.length);
}

/** A segment that is a whole escaped address, or all of the path from the first address on. */
function readRestOfPath({ pathname, search }: URL): string | undefined {
  const escaped = /\/(https?(?:%3a|:)%2f%2f[^/]+)/i.exec(pathname)?.[1];
  if (escaped !== undefined) return escaped;
  const at = pathname.search(/\/https?(?:%3a|:)\/\//i);
  return at === -1 ? undefined : keepEscapes(pathname.slice(at + 1) + search);
}

/** UTF-8 of base64 in both alphabets; undefined if it is none. */
function decodeBase64(text: string): string | undefined {
  return /^[\w+/=-]+$/.test(text) ? Buffer.from(text, 'base64url').toString() : undefined;
}

/** The message has its type (`08 13`), then the length of the address (`22`, one or two bytes), and the address. */
function readGoogleNews({ pathname }: URL): string | undefined {
  const message = Buffer.from(pathname.slice(pathname.lastIndexOf('/') + 1), 'base64url');
  if (message[0] !== 0x08 || message[2] !== 0x22) return undefined;
  const [low = 0, high = 0] = message.subarray(3);
  const isLong = low >= 0x80;
  const start = isLong ? 5 : 4;
  const length = isLong ? (low & 0x7f) + high * 0x80 : low;
  return keepEscapes(message.subarray(start, start + length).toString());
}

function readSubstack({ pathname }: URL): string | undefined {
  const text = decodeBase64(/^\/redirect\/2\/([^./]+)/.exec(pathname)?.[1] ?? '');
  try {
    const link: unknown = JSON.parse(text ?? '');
    return isPlain(link) && typeof link.e === 'string' ? keepEscapes(link.e) : undefined;
  } catch {
    return undefined;
  }
}

/** An address that is not escaped once more, as values are, keeps the escapes of its own. */
function keepEscapes(address: string): string {
  return /^https?:\/\//i.test(address) ? address.replaceAll('%', '%25') : address;
}

/** `*` is the next of the characters that follow in base64, `**A` the next two, `**B` the next three, and so on. */
const RUN_LENGTHS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function readProofpoint3({ href }: URL): string | undefined {
  const [, written, base64 = ''] = /^https?:\/\/[^/]+\/v3\/__(.+?)__;([\w=-]*)!/.exec(href) ?? [];
  if (written === undefined) return undefined;
  const characters = Array.from(decodeBase64(base64) ?? '');
  let next = 0;
  const take = (count: number) => characters.slice(next, (next += count)).join('');
  return keepEscapes(
    written
      // A proxy may have joined the slashes.
      .replace(/^(https?:\/)(?!\/)/i, '$1/')
      .replace(/\*(?:\*([\w-]))?/g, (_, run: string | undefined) =>
        take(run === undefined ? 1 : RUN_LENGTHS.indexOf(run) + 2),
      ),
  );
}
