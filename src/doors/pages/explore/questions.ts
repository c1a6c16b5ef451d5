/** The documented questions: `docs/questions.md`, which goes along in the package. */
import { readFile } from 'node:fs/promises';

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

/** Four folders above both src/doors/pages/explore and dist/doors/pages/explore. */
const PAGE = new URL('../../../../docs/questions.md', import.meta.url);

export async function readQuestions(): Promise<Question[]> {
  const page = await readFile(PAGE, 'utf8');
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
