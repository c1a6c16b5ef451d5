/** The SQL contract: what can be asked, with examples, and a place to ask. */
import { z } from 'zod';
import { InvalidInput, Refused } from '../../../errors.ts';
import { Denied } from '../../../monitor/access/denied.ts';
import { MAX_SQL } from '../../../store/reader/ask.ts';
import type { Finished } from '../../../store/reader/process.ts';
import { readContract, readContractVersion } from '../../../store/reads/contract-columns.ts';
import { failureOf } from '../../failure.ts';
import type { App, WebHome } from '../../routes.ts';
import { showPage } from '../kit/show.tsx';
import { ExploreTabs } from './page.tsx';
import { Connect } from './connect.tsx';
import { Ask, Result } from './ask.tsx';
import { Questions } from './question-list.tsx';
import { type Question, readQuestions } from './questions.ts';
import { Reference } from './reference.tsx';

type Shown = { view: string | undefined; sql: string | undefined; result?: Finished; refused?: string };

export function sqlPage(app: App, home: WebHome): void {
  const { ctx } = home;
  const questions = readQuestions(ctx.log);

  const show = async (shown: Shown) => {
    const asks = home.readerUrl() !== null;
    const [views, version, examples] = await Promise.all([
      readContract(ctx.db),
      readContractVersion(ctx.db),
      questions,
    ]);
    return {
      title: 'Explore by SQL',
      here: '/explore',
      lead: `Version ${version} of the SQL contract: views that dashboards and notebooks can rely on.`,
      aside: <ExploreTabs here="/explore/sql" />,
      body: (
        <>
          {!asks ? null : <Ask sql={shown.sql} refused={shown.refused} />}
          {shown.result === undefined ? null : <Result result={shown.result} />}
          <Questions questions={examples} asks={asks} />
          <Reference views={views} chosen={shown.view} />
          <Connect embedded={ctx.config.databaseUrl === undefined} reader={asks} />
        </>
      ),
    };
  };

  app.get(
    '/explore/sql',
    {
      config: { scope: 'sql' },
      schema: {
        querystring: z.strictObject({
          view: z.string().max(64).optional(),
          example: z.coerce.number().int().optional(),
        }),
      },
    },
    async (request, reply) => {
      const { view, example } = request.query;
      const chosen = example === undefined ? undefined : exampleOf(await questions, example);
      return showPage(request, reply, await show({ view, sql: chosen?.sql }));
    },
  );

  app.post(
    '/explore/sql',
    { config: { scope: 'sql' }, schema: { body: z.object({ sql: z.string().max(MAX_SQL) }) } },
    async (request, reply) => {
      const { sql } = request.body;
      if (sql.trim() === '')
        throw new InvalidInput([{ path: 'sql', given: sql, expected: 'one SQL statement' }]);
      try {
        const result = await app.statements.ask(request, reply, { sql, form: 'html' });
        return showPage(request, reply, await show({ view: undefined, sql, result }));
      } catch (error) {
        if (!(error instanceof Refused || error instanceof Denied)) throw error;
        const { status, detail, retryAfterSeconds } = failureOf(error);
        if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
        const refused = await show({ view: undefined, sql, refused: detail });
        // What is not possible with a statement is wrong with it.
        return showPage(request, reply, { ...refused, status: status === 409 ? 400 : status });
      }
    },
  );
}

function exampleOf(questions: readonly Question[], n: number): Question {
  const found = questions.find((one) => one.n === n);
  if (found === undefined) throw new Refused('not_found', `there is no question ${n}`);
  return found;
}
