/** SQL: a query form, examples and the reference of the views. */

import { awaitMembers } from '../../lib/await-members.ts';
import { Refused } from '../../model/errors.ts';
import { Denied } from '../../monitor/access/visitor-scopes.ts';
import { mapErrorToFailure } from '../../monitor/http/error-statuses.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { abortOnClose } from '../../platform/http/raw-reply.ts';
import { SECOND } from '../../lib/time.ts';
import {
  type ContractView,
  readContractVersion,
  readContractViews,
} from '../../store/queries/sql-contract.ts';
import { MAX_ROWS, MAX_SQL_LENGTH } from '../../store/reader/ask-reader.ts';
import type { FinishedStatement } from '../../store/reader/reader-host.ts';
import { MAX_RESULT_MB, MAX_STATEMENT_MS } from '../../store/reader/reader-query.ts';
import { Table } from '../components/data-table.tsx';
import { Button, Field, Form } from '../components/form.tsx';
import { formatCount } from '../components/numbers.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { type Question, QuestionList, readQuestions } from './example-questions.tsx';
import { ExploreTabs } from './explore-page.tsx';
import { z } from 'zod';

type SqlPageState = {
  view: string | undefined;
  sql: string | undefined;
  result?: FinishedStatement;
  refused?: string;
};

export function addSqlPage(app: App, routeContext: RouteContext): void {
  const { ctx } = routeContext;
  const questions = readQuestions(ctx.log);

  const show = async (shown: SqlPageState) => {
    const asks = routeContext.readerUrl() !== null;
    const { views, version, examples } = await awaitMembers({
      views: readContractViews(ctx.db),
      version: readContractVersion(ctx.db),
      examples: questions,
    });
    return {
      title: 'SQL',
      here: '/explore',
      lead: `SQL contract, version ${version}: stable views for dashboards and notebooks.`,
      aside: <ExploreTabs here="/explore/sql" />,
      body: (
        <>
          {!asks ? null : <StatementForm {...shown} />}
          {shown.result === undefined ? null : <StatementResult result={shown.result} />}
          <QuestionList questions={examples} asks={asks} />
          <ViewReference views={views} chosen={shown.view} />
          <ConnectHelp embedded={ctx.config.databaseUrl === undefined} reader={asks} />
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
      const chosen = example === undefined ? undefined : findExample(await questions, example);
      return renderPage(request, reply, await show({ view, sql: chosen?.sql }));
    },
  );

  app.post(
    '/explore/sql',
    {
      config: { scope: 'sql' },
      schema: {
        body: z.object({ sql: z.string() }),
      },
    },
    async (request, reply) => {
      const { sql } = request.body;
      if (sql.trim() === '' || sql.length > MAX_SQL_LENGTH) {
        const refused = `Enter one SQL statement of at most ${MAX_SQL_LENGTH} characters.`;
        return renderPage(request, reply, {
          ...(await show({ view: undefined, sql, refused })),
          status: 400,
        });
      }
      try {
        const result = await app.statements.ask(request, {
          sql,
          form: 'html',
          signal: abortOnClose(reply),
        });
        return renderPage(request, reply, await show({ view: undefined, sql, result }));
      } catch (error) {
        if (!(error instanceof Refused || error instanceof Denied)) throw error;
        const { status, detail, retryAfterSeconds } = mapErrorToFailure(error);
        if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
        const refused = await show({ view: undefined, sql, refused: detail });
        // A conflict with a query is an error in the query.
        return renderPage(request, reply, { ...refused, status: status === 409 ? 400 : status });
      }
    },
  );
}

function findExample(questions: readonly Question[], n: number): Question {
  const question = questions.find((candidate) => candidate.n === n);
  if (question === undefined) throw new Refused('not_found', `there is no example ${n}`);
  return question;
}

function StatementForm({ sql, refused }: Pick<SqlPageState, 'sql' | 'refused'>) {
  return (
    <Section
      title="Query"
      id="ask"
      note={`One read-only statement, at most ${MAX_ROWS} rows, ${MAX_RESULT_MB} MB and ${MAX_STATEMENT_MS / SECOND} seconds. The command strandline sql has no row limit.`}
    >
      {refused === undefined ? null : (
        <p class="wrong" role="alert">
          <UntrustedText text={refused} most={2_000} />
        </p>
      )}
      <Form action="/explore/sql" label="Query">
        <Field
          name="sql"
          label="SQL"
          kind="textarea"
          rows={Math.min(16, Math.max(5, (sql ?? '').split('\n').length + 1))}
          value={sql}
          placeholder="select search, count(*) from new_today group by 1"
        />
        <p>
          <Button words="Run query" kind="main" />
        </p>
      </Form>
    </Section>
  );
}

/** The process for statements renders the table, with untrusted text escaped. */
function StatementResult({ result: { body, rows, more, durationMs } }: { result: FinishedStatement }) {
  const rest = more ? '; more rows exist' : '';
  return (
    <Section
      title="Result"
      id="result"
      note={`${formatCount(rows, 'row')} in ${Math.round(durationMs)} ms${rest}; times are UTC.`}
    >
      {rows === 0 ? (
        <EmptyState words="No rows." />
      ) : (
        <div dangerouslySetInnerHTML={{ __html: body.toString() }} />
      )}
    </Section>
  );
}

/** All views, and the columns of the chosen one. */
function ViewReference({ views, chosen }: { views: readonly ContractView[]; chosen: string | undefined }) {
  const shown = views.find(({ view }) => view === chosen);
  return (
    <>
      {shown === undefined ? null : (
        <Section title={<code>{shown.view}</code>} id="view" note={shown.meaning}>
          <Table
            caption={`Columns of the view ${shown.view}`}
            rows={shown.columns}
            columns={[
              { head: 'Column', cell: ({ name }) => <code>{name}</code> },
              { head: 'Type', cell: ({ type }) => type },
              { head: 'Description', cell: ({ meaning }) => meaning },
            ]}
          />
        </Section>
      )}
      <Section
        title="Views"
        id="views"
        note="Unknown is null, never zero. Times are UTC. Time that was not observed has no row or a coverage below 1."
      >
        <Table
          caption="Views of the SQL contract"
          rows={views}
          columns={[
            {
              head: 'View',
              cell: ({ view }) => (
                <a href={`/explore/sql?view=${view}#view`}>
                  <code>{view}</code>
                </a>
              ),
            },
            { head: 'Row', cell: ({ meaning }) => meaning },
            { head: 'Columns', cell: ({ columns }) => columns.length, number: true },
          ]}
        />
      </Section>
    </>
  );
}

/** Shows no address and no password: visitors need not know them. */
function ConnectHelp({ embedded, reader }: { embedded: boolean; reader: boolean }) {
  return (
    <Section title="Other ways to query" id="connect">
      <p>On the machine that runs strandline, as a table or as JSON:</p>
      <pre class="shell" tabIndex={0}>
        <code>
          {
            'strandline sql "select search, count(*) from new_today group by 1"\nstrandline sql --json < question.sql'
          }
        </code>
      </pre>
      {embedded ? (
        <p>
          The database is embedded and listens on this machine only, while strandline runs.{' '}
          <code>strandline config show</code> shows where its files are.
        </p>
      ) : (
        <p>
          The database is your own. Connect with any Postgres client as the role{' '}
          <code>strandline_reader</code>, which can only read these views.
          {reader ? '' : ' To query here and with strandline sql, set DATABASE_READER_URL to its login.'}
        </p>
      )}
    </Section>
  );
}
