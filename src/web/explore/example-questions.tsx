/** The documented questions of `docs/questions.md`, which is part of the package and of the image. */

import type { Logger } from '../../platform/logger.ts';
import { Section } from '../components/section.tsx';
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

/** Three folders above both src/web/explore and dist/web/explore. */
const QUESTIONS_FILE = new URL('../../../docs/questions.md', import.meta.url);

/** @returns none where the page cannot be read, which is logged: examples are no reason to refuse a query */
export async function readQuestions(
  log: Pick<Logger, 'warn'>,
  from: URL = QUESTIONS_FILE,
): Promise<Question[]> {
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

/** Statements that answer what people ask of such a history. */
export function QuestionList({ questions, asks }: { questions: readonly Question[]; asks: boolean }) {
  return (
    <Section
      title="Questions and their statements"
      id="questions"
      note={
        questions.length === 0
          ? 'No examples: docs/questions.md is not installed here.'
          : 'Put a search, a topic or a kind of service of your own in the place of trains-posts, trains-ai, trains and hosted.'
      }
    >
      <ul class="plain">
        {questions.map(({ n, title, reading, sql }) => (
          <li>
            <details>
              <summary>{title}</summary>
              <p class="note">{reading.replaceAll(/[`\n]/g, ' ')}</p>
              <pre class="raw" tabIndex={0}>
                <code>{sql}</code>
              </pre>
              {asks ? (
                <p>
                  <a href={`/explore/sql?example=${n}#ask`}>Put it into the form</a>
                </p>
              ) : null}
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}
