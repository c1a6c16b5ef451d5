/** The documented questions: `docs/questions.md`, which goes along in the package and in the image. */
import { readFile } from 'node:fs/promises';
import type { Logger } from '../../../engine/logger.ts';

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

/** @returns none where the page cannot be read, which is logged: examples are no reason to refuse a query */
export async function readQuestions(log: Pick<Logger, 'warn'>, from: URL = PAGE): Promise<Question[]> {
  const page = await readFile(from, 'utf8').catch((error: unknown) => {
    log.warn({ err: error }, 'no example questions');
    return '';
  });
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
