import { clean, oneCleanLine } from '../contract/text.ts';

/** The first sentence of a text without its links, hashtags and control characters, at most 140 characters. */
export function firstSentence(text: string): string {
  const plain = oneCleanLine(text.replace(/https?:\/\/\S+|#[\p{L}\p{N}_]+/gu, ''));
  const end = /[.!?。؟](?=\s|$)/u.exec(plain);
  const first = end === null ? plain : plain.slice(0, end.index + 1);
  return first.length <= 140 ? first : `${clean(first, 137)}...`;
}
