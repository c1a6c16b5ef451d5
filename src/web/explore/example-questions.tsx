/** Example queries from `questions.md`, which the build copies beside the compiled page. */

import type { Logger } from '../../platform/logger.ts';
import { Section } from '../components/section.tsx';
import { readFile } from 'node:fs/promises';

export type Question = {
  n: number;
  /** Without the number. */
  title: string;
  /** How to read the result. */
  explanation: string;
  sql: string;
};

const QUESTIONS_FILE = new URL('questions.md', import.meta.url);

/** @returns an empty list, logged, if the file cannot be read: queries work without examples */
export async function readQuestions(
  log: Pick<Logger, 'warn'>,
  from: URL = QUESTIONS_FILE,
): Promise<Question[]> {
  const page = await readFile(from, 'utf8').catch((error: unknown) => {
    log.warn({ err: error }, 'example queries unavailable');
    return '';
  });
  return [...page.matchAll(/^## (\d+)\. (.+)\n\n([\s\S]*?)\n\n```sql\n([\s\S]*?)\n```$/gm)].map(
    ([, n, title = '', explanation = '', sql = '']) => ({
      n: Number(n),
      title,
      explanation,
      sql,
    }),
  );
}

export function QuestionList({ questions, asks }: { questions: readonly Question[]; asks: boolean }) {
  return (
    <Section
      title="Example queries"
      id="questions"
      note={
        questions.length === 0
          ? 'No examples: questions.md is not installed.'
          : 'Replace trains-posts, trains-ai, trains and hosted with your own searches, topic and service.'
      }
    >
      <ul class="plain">
        {questions.map(({ n, title, explanation, sql }) => (
          <li>
            <details>
              <summary>{title}</summary>
              <p class="note">{explanation.replaceAll(/[`\n]/g, ' ')}</p>
              <pre class="raw" tabIndex={0}>
                <code>{sql}</code>
              </pre>
              {asks ? (
                <p>
                  <a href={`/explore/sql?example=${n}#ask`}>Use this query</a>
                </p>
              ) : null}
            </details>
          </li>
        ))}
      </ul>
    </Section>
  );
}
