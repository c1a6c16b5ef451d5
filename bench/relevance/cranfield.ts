/**
 * The Cranfield collection: 1,400 abstracts on aerodynamics, 225 questions, and which abstracts answer them.
 * Judgements number the questions 1 to 225 by their position; the number that stands in a question is an
 * older one.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export type Collection = {
  documents: readonly { id: string; title: string; text: string }[];
  /** With the documents that answer each. */
  questions: readonly { text: string; relevant: ReadonlySet<string> }[];
};

/** @param folder holds `cran.all.1400.xml`, `cran.qry.xml` and `cranqrel.trec.txt` */
export async function readCranfield(folder: string): Promise<Collection> {
  const read = (name: string) => readFile(path.join(folder, name), 'utf8');
  const documents = sections(await read('cran.all.1400.xml'), 'doc').map((section) => ({
    id: text(section, 'docno'),
    title: text(section, 'title'),
    text: text(section, 'text'),
  }));
  const relevant = new Map<string, Set<string>>();
  for (const line of (await read('cranqrel.trec.txt')).split('\n')) {
    const [question = '', , document = '', grade] = line.trim().split(/\s+/u);
    if (!(Number(grade) > 0)) continue;
    relevant.set(question, (relevant.get(question) ?? new Set()).add(document));
  }
  const questions = sections(await read('cran.qry.xml'), 'top').map((section, i) => ({
    text: text(section, 'title'),
    relevant: relevant.get(String(i + 1)) ?? new Set<string>(),
  }));
  if (documents.length !== 1_400 || questions.length !== 225)
    throw new Error(`${documents.length} documents and ${questions.length} questions are not Cranfield`);
  return { documents, questions };
}

function sections(xml: string, name: string): string[] {
  return Array.from(xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gsu')), ([, inside = '']) => inside);
}

function text(section: string, name: string): string {
  const [, inside = ''] = new RegExp(`<${name}>(.*?)</${name}>`, 'su').exec(section) ?? [];
  return inside.replace(/\s+/gu, ' ').trim();
}
