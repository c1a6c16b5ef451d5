import { Section } from '../kit/section.tsx';
import type { Question } from './questions.ts';

/** Statements that answer what people ask of such a history. */
export function Questions({ questions, asks }: { questions: readonly Question[]; asks: boolean }) {
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
