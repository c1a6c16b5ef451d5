import { clean } from '../contract/text.ts';

/** The first sentence of a text without its links and hashtags, at most 140 characters. */
export function firstSentence(text: string): string {
  const plain = text
    .replace(/https?:\/\/\S+|#[\p{L}\p{N}_]+/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  const end = /[.!?。؟](?=\s|$)/u.exec(plain);
  const first = end === null ? plain : plain.slice(0, end.index + 1);
  return first.length <= 140 ? first : `${clean(first, 137)}...`;
}
