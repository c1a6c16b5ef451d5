/** What could not be done, on a page of its own. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../../errors.ts';
import { Section } from './section.tsx';
import { showPage } from './show.tsx';
import { wordsOf } from './form.tsx';

export type Failed = {
  status: number;
  /** In a few words. */
  title: string;
  /** In a sentence, for a person. */
  detail: string;
  problems?: readonly Problem[] | undefined;
};

export function showFailure(request: FastifyRequest, reply: FastifyReply, failed: Failed): FastifyReply {
  const { status, title, detail, problems = [] } = failed;
  return showPage(request, reply, {
    title,
    here: '',
    status,
    body: (
      <Section title="What happened" note={detail}>
        {problems.length === 0 ? null : (
          <ul class="plain">
            {problems.map((problem) => (
              <li>
                <code>{problem.path}</code>: {wordsOf(problem)}
              </li>
            ))}
          </ul>
        )}
        <p>
          <a href="/">To the overview</a>
        </p>
      </Section>
    ),
  });
}
