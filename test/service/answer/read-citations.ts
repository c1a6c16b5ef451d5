/**
 * Parses a completion as an outsider would who has only its text: sentences, each with the
 * addresses after it. Shares no code with the writers.
 */
import type { Completion } from '../../../src/protocol/specification.ts';

export type Claim = { text: string; cites: { number: number; url: string }[] };

const CITATIONS = /((?:\s*\[\d+\]\(https?:\/\/[^\s()]+\))+)/;

/** A claim is what stands before a run of citations; what stands behind the last one cites nothing. */
export function claimsOf(text: string): Claim[] {
  const parts = text.split(CITATIONS);
  const claims: Claim[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const said = (parts[i] ?? '').trim();
    const cites = Array.from((parts[i + 1] ?? '').matchAll(/\[(\d+)\]\(([^\s()]+)\)/g), ([, n, url]) => ({
      number: Number(n),
      url: url ?? '',
    }));
    if (said !== '' || cites.length > 0) claims.push({ text: said, cites });
  }
  return claims;
}

export const TEXTS = [
  'summary',
  'microblog_summary',
  'discussion_board_summary',
  'news_forum_summary',
] as const;
export const KEY_LISTS = ['key_posts', 'key_microblog_posts', 'key_news', 'key_sources'] as const;

/** Every address that a completion points to, each once. */
export function addressesOf(completion: Completion): Set<string> {
  return new Set([
    ...TEXTS.flatMap((role) =>
      claimsOf(completion[role]).flatMap(({ cites }) => cites.map(({ url }) => url)),
    ),
    ...KEY_LISTS.flatMap((list) => completion[list].map(({ url }) => url)),
  ]);
}

/** All that a completion says, without its own citations. */
export function wordsOf(completion: Completion): string {
  return [
    ...TEXTS.flatMap((role) => claimsOf(completion[role]).map(({ text }) => text)),
    ...KEY_LISTS.flatMap((list) => completion[list].map(({ text }) => text)),
  ].join('\n');
}
