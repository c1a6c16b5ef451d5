/** The questions of `docs/questions.md`, as they stand there. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from '../sources.ts';

export type Question = {
  n: number;
  /** As asked, without its number. */
  title: string;
  /** How its answer is read. */
  reading: string;
  sql: string;
  /** Says of itself that it reads all there is. */
  fullScan: boolean;
};

export async function readQuestions(): Promise<Question[]> {
  const page = await readFile(path.join(REPOSITORY, 'docs/questions.md'), 'utf8');
  return [...page.matchAll(/^## (\d+)\. (.+)\n\n([\s\S]*?)\n\n```sql\n([\s\S]*?)\n```$/gm)].map(
    ([, n, title = '', reading = '', sql = '']) => ({
      n: Number(n),
      title,
      reading,
      sql,
      fullScan: /\bfull scan\b/i.test(reading),
    }),
  );
}
