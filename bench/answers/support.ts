/**
 * How well a completion is cited, found out from its text alone. Precision: of all citations, the part
 * whose item says the sentence, word for word. Recall: of all sentences, the part with such a citation.
 */
import type { AiResponse } from '../../src/protocol/specification.ts';
import type { Findings } from '../../src/service/planning/retrieval.ts';
import { claimsOf, KEY_LISTS, TEXTS } from '../../test/service/answer/read-citations.ts';

export type Tally = {
  answers: number;
  claims: number;
  supportedClaims: number;
  citations: number;
  supportedCitations: number;
  keyItems: number;
  supportedKeyItems: number;
  /** Texts that are empty although their tool found something. */
  silent: number;
  /** Answers whose `completion_links` are not exactly the cited addresses in the order of their numbers. */
  wrongLinks: number;
  words: number;
};

export function emptyTally(): Tally {
  return {
    answers: 0,
    claims: 0,
    supportedClaims: 0,
    citations: 0,
    supportedCitations: 0,
    keyItems: 0,
    supportedKeyItems: 0,
    silent: 0,
    wrongLinks: 0,
    words: 0,
  };
}

type Cited = Pick<AiResponse, 'completion'> & { links: readonly string[] };

/** Texts that say that there is nothing to say. */
const NOTHING =
  /^(?:No results for the selected tools and period|No answer in these sources|Pas de réponse dans ces sources)\b/u;
const READS = {
  summary: undefined,
  microblog_summary: 'microblog',
  discussion_board_summary: 'discussion_board',
  news_forum_summary: 'news_forum',
} as const;

export function count(tally: Tally, findings: Findings, { completion, links }: Cited): void {
  const texts = new Map<string, string>();
  for (const item of [...findings.values()].flat()) {
    const known = texts.get(item.link) ?? '';
    texts.set(item.link, `${known}\n${asRead(item.title)}\n${asRead(item.snippet)}`);
  }
  // A title is marked, or stands in front of a sentence.
  const says = (url: string, text: string) => {
    const said = asRead(text).replace(/[.!?。]$/, '');
    const known = texts.get(url) ?? '';
    const colons = Array.from(said.matchAll(/: /g), ({ index }) => index);
    return (
      known.includes(said) ||
      colons.some((at) => {
        const front = said.slice(0, at);
        return (/^Titr?l?e$/.test(front) || known.includes(front)) && known.includes(said.slice(at + 2));
      })
    );
  };
  const numbered = new Map<number, string>();
  tally.answers += 1;
  for (const role of TEXTS) {
    const text = completion[role];
    const source = READS[role];
    const found = source === undefined ? texts.size : (findings.get(source)?.length ?? 0);
    if (text === '' && found > 0) tally.silent += 1;
    if (NOTHING.test(text)) continue;
    for (const claim of claimsOf(text)) {
      const supported = claim.cites.filter(({ url }) => says(url, claim.text));
      tally.claims += 1;
      tally.supportedClaims += supported.length > 0 ? 1 : 0;
      tally.citations += claim.cites.length;
      tally.supportedCitations += supported.length;
      tally.words += claim.text.split(/\s+/).length;
      for (const { number, url } of claim.cites) numbered.set(number, url);
    }
  }
  for (const item of KEY_LISTS.flatMap((list) => completion[list])) {
    tally.keyItems += 1;
    tally.supportedKeyItems += says(item.url, item.text) ? 1 : 0;
  }
  const cited = new Set([
    ...numbered.values(),
    ...KEY_LISTS.flatMap((list) => completion[list].map(({ url }) => url)),
  ]);
  const inOrder = Array.from(numbered).every(([number, url]) => links[number - 1] === url);
  if (!inOrder || cited.size !== links.length || links.some((link) => !cited.has(link)))
    tally.wrongLinks += 1;
}

/** As a person reads it: nothing invisible, white space as one space. A writer may set the full stop of a title. */
function asRead(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
}
