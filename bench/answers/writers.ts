/** Models that a benchmark asks in place of a real one: an honest one, and one that makes every mistake. */
import type { LanguageModel } from '../../src/service/answering/language-model.ts';

type Item = { id: number; kind: string; sentences: string[] };

/** Quotes what it was given, and cites it. */
export const honest: LanguageModel = {
  name: 'honest',
  ask: ({ system, user }) =>
    Promise.resolve(
      answer(system, itemsOf(user), (items) => items.map(({ id, sentences }) => said(sentences[0], [id]))),
    ),
};

/** One true sentence, and beside it: another item's number, a number of nothing, no number, a figure, a tale. */
export const careless: LanguageModel = {
  name: 'careless',
  ask: ({ system, user }) =>
    Promise.resolve(
      answer(system, itemsOf(user), (items, all) =>
        items.flatMap(({ id, sentences: [sentence] }, i) => [
          said(sentence, [id]),
          said(sentence, [all[(i * 7 + 3) % all.length]?.id ?? 0]),
          said(sentence, [999]),
          said(sentence, []),
          said(sentence?.replace(/[.!?]$/, ', 4711 of them.'), [id]),
          said('Experts of the ministry doubt everything that was reported so far.', [id]),
        ]),
      ),
    ),
};

const said = (text: string | undefined, cites: readonly number[]) => ({ text: text ?? '', cites });

function answer(
  system: string,
  all: readonly Item[],
  write: (items: readonly Item[], all: readonly Item[]) => object[],
): string {
  const roles = Array.from(system.matchAll(/^- "(\w+)"/gm), ([, role]) => role ?? '');
  return JSON.stringify(
    Object.fromEntries(
      roles.map((role) => {
        const own = all.filter(({ kind }) => role === 'summary' || role.startsWith(kind));
        return [role, { summary: write(own.slice(0, 5), own), key: [] }];
      }),
    ),
  );
}

function itemsOf(user: string): Item[] {
  return Array.from(
    user.matchAll(/<<src \w+ id=(\d+) kind=(\w+)[^>]*>>\n(.*)\n<<\/src/g),
    ([, id, kind, text]) => {
      const sentences = (text ?? '').split(/(?<=[.!?。])\s+/u).filter((one) => /[.!?。]$/u.test(one));
      // The last one: the first may be a title, to which a full stop was set.
      return { id: Number(id), kind: kind ?? '', sentences: sentences.toReversed() };
    },
  ).filter(({ sentences }) => sentences.length > 0);
}
