/** The completion as it is written down: the one place where links get their numbers and are set. */
import type { Completion } from '../../contract/completion.ts';
import { type Draft, type Role, SECTIONS } from './draft.ts';

export type Page = {
  /** Sets a text and its key items; numbers go on from what was set before. */
  set(role: Role, draft: Draft): void;
  completion: Completion;
  /** The addresses cited so far, in the order of their first citation: the first is `[1]`. */
  links: string[];
};

export function emptyPage(): Page {
  const links: string[] = [];
  const numbers = new Map<string, number>();
  const cite = (link: string) => {
    const known = numbers.get(link) ?? links.push(link);
    numbers.set(link, known);
    return `[${known}](${link})`;
  };
  const completion: Completion = {
    key_posts: [],
    key_microblog_posts: [],
    key_news: [],
    key_sources: [],
    microblog_summary: '',
    summary: '',
    discussion_board_summary: '',
    news_forum_summary: '',
  };
  return {
    completion,
    links,
    set(role, { said, key }) {
      completion[role] = said.map((one) => [one.text, ...one.links.map(cite)].join(' ')).join(' ');
      for (const { link } of key) cite(link);
      completion[SECTIONS[role].key] = key.map((item) => ({ text: item.text, url: item.link }));
    },
  };
}
