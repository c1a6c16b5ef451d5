/**
 * Which of the names that a topic lists are in an answer, and which of their domains it cites. Pure.
 *
 * A name is found as whole words, without case and accents (`splitFoldedWords`), in one line of one section; in scripts without
 * spaces, wherever its characters are. Addresses and citations are no text. A name inside a longer listed name counts for the
 * longer one only. Linear in the length of the text.
 */
import { splitFoldedWords } from '../lib/folded-words.ts';
import { parseUrl } from './links/link.ts';
import { removeCitations } from './statements/cited-text.ts';

export const MAX_TOPIC_NAMES = 50;
export const MAX_NAME_FORMS = 20;
export const MAX_NAME_LENGTH = 100;
const MIN_NAME_LETTERS = 2;

/** A name as it is looked for. */
type SoughtName = { id: bigint; name: string; aliases: readonly string[]; domains: readonly string[] };

type NameMatcher = {
  /** @param texts the sections of an answer */
  findNamed(texts: readonly string[]): Set<bigint>;
  /** @param domains of the links that it cites, in lower case and without `www.` */
  findCited(domains: readonly string[]): Set<bigint>;
};

/** A word of forms: where the next word of each leads, and whose form ends here. */
type FormNode = { next: Map<string, FormNode>; id?: bigint };

type Mention = { id: bigint; from: number; words: number; letters: number; form: string };

const ADDRESS = /https?:\/\/[^\s()<>[\]"]+/gi;

/** A form that two names have is that of the first. */
export function createNameMatcher(names: readonly SoughtName[]): NameMatcher {
  const root: FormNode = { next: new Map() };
  for (const { id, name, aliases } of names)
    for (const form of [name, ...aliases]) {
      const words = splitFoldedWords(form);
      const node = words.reduce((at, word) => step(at, word), root);
      if (node !== root) node.id ??= id;
    }
  const owners = new Map(names.flatMap(({ id, domains }) => domains.map((domain) => [domain, id] as const)));
  return {
    findNamed: (texts) => {
      const found = new Set<bigint>();
      for (const text of texts)
        for (const line of removeCitations(text).replace(ADDRESS, ' ').split(LINE_END))
          for (const sentence of line.split(SENTENCE_END))
            addMentions(root, splitFoldedWords(sentence), found);
      return found;
    },
    findCited: (domains) =>
      new Set(domains.flatMap((domain) => listAbove(domain).flatMap((above) => owners.get(above) ?? []))),
  };
}

const LINE_END = /[\r\n\u2028\u2029]+/;
/** A full stop before another sentence: that of `St. Pauli` ends none, because the word before it is short. */
const SENTENCE_END = /(?<=\p{L}{4})\.\s(?=\s*\p{Lu})/u;

function step(at: FormNode, word: string): FormNode {
  const known = at.next.get(word);
  if (known !== undefined) return known;
  const made: FormNode = { next: new Map() };
  at.next.set(word, made);
  return made;
}

/** Adds the names of a sentence: the longest mentions first, each word in one of them. */
function addMentions(root: FormNode, words: readonly string[], found: Set<bigint>): void {
  const mentions: Mention[] = [];
  for (let from = 0; from < words.length; from += 1) {
    let node: FormNode | undefined = root;
    for (let at = from; at < words.length; at += 1) {
      node = node.next.get(words[at] ?? '');
      if (node === undefined) break;
      if (node.id === undefined) continue;
      const form = words.slice(from, at + 1).join(' ');
      mentions.push({ id: node.id, from, words: at + 1 - from, letters: form.length, form });
    }
  }
  mentions.sort(
    (a, b) =>
      b.words - a.words ||
      b.letters - a.letters ||
      (a.form === b.form ? a.from - b.from : a.form < b.form ? -1 : 1),
  );
  const taken = new Uint8Array(words.length);
  for (const { id, from, words: length } of mentions) {
    const end = from + length;
    if (taken.subarray(from, end).includes(1)) continue;
    taken.fill(1, from, end);
    found.add(id);
  }
}

/** A domain and the domains above it. */
function listAbove(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}

/** What identifies a form: two forms with equal keys are found in the same places. */
export function keyOfName(form: string): string {
  return splitFoldedWords(form).join(' ');
}

/** What is expected of a name or alias instead; null if it can be found. */
export function findNameProblem(form: string): string | null {
  if (form.length > MAX_NAME_LENGTH) return `at most ${MAX_NAME_LENGTH} characters`;
  return splitFoldedWords(form).join('').length < MIN_NAME_LETTERS ? 'at least two letters or digits' : null;
}

const DOMAIN = /^(?=.{4,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?:[a-z]{2,63}|xn--[a-z\d-]{1,59})$/;

/** The domain of an address or of a domain as it was typed, as links have it; null if it is none. */
export function readCitedDomain(given: string): string | null {
  const address = parseUrl(/^https?:\/\//i.test(given) ? given : `https://${given}`);
  if (
    address === undefined ||
    !/^[^\s@]+$/.test(given) ||
    given.includes('://') !== /^https?:\/\//i.test(given)
  )
    return null;
  const domain = address.hostname.replace(/^www\./, '');
  return DOMAIN.test(domain) ? domain : null;
}
