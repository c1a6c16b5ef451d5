/** The words that a source is asked for, by what it can bear. */
import { clean } from '../../../contract/text.ts';
import type { Query } from '../../source.ts';

/** The best few keywords in the order in which the user wrote them: "ai regulation" is not "regulation ai". */
export function bestWords({ prompt, keywords }: Pick<Query, 'prompt' | 'keywords'>, most: number): string[] {
  const text = prompt.toLowerCase();
  return keywords.slice(0, most).sort((a, b) => text.indexOf(a) - text.indexOf(b));
}

/** The best few words, in the order in which the user wrote them: for sources that want all words to occur. */
export function fewWords(query: Pick<Query, 'prompt' | 'keywords'>, most: number): string {
  return bestWords(query, most).join(' ') || briefly(query.prompt);
}

/** The prompt as one line of at most 400 characters and 50 words, whole words where it can be. */
export function briefly(prompt: string): string {
  const words = prompt.trim().split(/\s+/u).slice(0, 50).join(' ');
  if (words.length <= 400) return words;
  const cut = words.slice(0, 401).lastIndexOf(' ');
  return cut > 0 ? words.slice(0, cut) : clean(words, 400);
}

/** `site:` in a prompt, for sources that take the site as a member of its own and not as a word. */
export function siteIn(prompt: string): { words: string; site: string | undefined } {
  const match = /(?:^|\s)site:([\w.-]+)(?=\s|$)/iu.exec(prompt);
  if (match === null) return { words: prompt, site: undefined };
  return { words: prompt.replace(match[0], ' ').trim(), site: match[1] };
}

/** Words alone, for sources to whose search signs (`:`, `"`, `-`) are orders. */
export function withoutSigns(words: string): string {
  return words.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}
