/** The Opinosis topics (Ganesan, Zhai and Han 2010), from the folder in which a user has unpacked them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Topic = { name: string; sentences: string[]; summaries: string[] };

const ENDING = '.txt.data';

/** @param folder holds `topics` and `summaries-gold` @throws when it does not, or when it is empty */
export async function readOpinosis(folder: string): Promise<Topic[]> {
  const names = (await readdir(join(folder, 'topics'))).filter((name) => name.endsWith(ENDING)).sort();
  if (names.length === 0) throw new Error(`no *${ENDING} in ${join(folder, 'topics')}`);
  return Promise.all(
    names.map(async (file) => {
      const name = file.slice(0, -ENDING.length);
      const text = await readFile(join(folder, 'topics', file), 'latin1');
      const gold = join(folder, 'summaries-gold', name);
      const golden = (await readdir(gold)).filter((one) => one.endsWith('.gold')).sort();
      const summaries = await Promise.all(golden.map((one) => readFile(join(gold, one), 'latin1')));
      const sentences = text.split(/\r?\n/).map((line) => line.trim());
      return { name, sentences: sentences.filter((line) => line !== ''), summaries };
    }),
  );
}
