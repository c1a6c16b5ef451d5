/** Questions or topics, and what the stand-ins hold, read from the text files of a folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { DATE_FILTERS, type DateFilter } from '../../src/model/enumerations.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';

/** When all questions are asked. */
export const ASKED_AT = new Date('2026-11-29T12:00:00.000Z');

export type Question = { prompt: string; dateFilter: DateFilter };

export type HeldItem = {
  kind: string;
  /** Of an encyclopedia. */
  language: string;
  /** Null: without a date. */
  publishedAt: Date | null;
  /** Of a post: its hashtag. */
  title: string;
  text: string;
  /** The text of the page behind its link; '' if nothing is known of it. */
  page: string;
  /** Unique. */
  number: number;
  /** Of a topic: the number of it among the topics, if who watches it wants to see the item. */
  wantedBy: number | null;
};

export type Folder = 'asked' | 'held-out' | 'topics';

/** @param before items that the stand-ins hold as well, in front */
export function readAsked(
  name: Folder,
  before: readonly HeldItem[] = [],
): { questions: Question[]; held: HeldItem[] } {
  const questions: Question[] = [];
  const held = [...before];
  const folder = new URL(`${name}/`, import.meta.url);
  for (const file of readdirSync(folder).toSorted()) {
    for (const line of readFileSync(new URL(file, folder), 'utf8').split('\n')) {
      if (line === '' || line.startsWith('#')) continue;
      const rest = line.slice(2);
      if (line.startsWith('? ')) questions.push(readQuestion(rest));
      else if (line.startsWith('> ')) Object.assign(held.at(-1) ?? {}, { page: rest });
      else {
        const isWanted = line.startsWith('+ ');
        const wantedBy = isWanted ? questions.length - 1 : null;
        held.push({ ...readItem(isWanted ? rest : line, held.length + 1), wantedBy });
      }
    }
  }
  return { questions, held };
}

function readQuestion(line: string): Question {
  const [filter = '', prompt = ''] = line.split(' | ');
  const dateFilter = DATE_FILTERS.find((known) => known === filter);
  if (dateFilter === undefined) throw new Error(`no date filter: ${line}`);
  return { dateFilter, prompt };
}

function readItem(line: string, number: number): Omit<HeldItem, 'wantedBy'> {
  const [kinds = '', age = '', title = '', text = ''] = line.split(/ \| ?/);
  const [kind = '', language = ''] = kinds.split(' ');
  return { kind, language, publishedAt: readAge(age, line), title, text, page: '', number };
}

/** `5h`, `3d`, or `-` for none. */
function readAge(age: string, line: string): Date | null {
  if (age === '-') return null;
  const [, count, unit] = /^(\d+)([hd])$/.exec(age) ?? [];
  if (count === undefined) throw new Error(`no age: ${line}`);
  return new Date(ASKED_AT.getTime() - Number(count) * (unit === 'h' ? HOUR : DAY));
}
