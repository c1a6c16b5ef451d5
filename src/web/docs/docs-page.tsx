/** The API reference, generated from the OpenAPI document. */
import { z } from 'zod';
import { Refused } from '../../model/errors.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { EmptyState, Section, Tabs } from '../components/section.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Table } from '../components/data-table.tsx';
import { type Operation, readDocument, type ApiReference } from './openapi-document.ts';
import { MemberTable, OperationSection } from './operation-reference.tsx';

const querystring = z.strictObject({
  tag: z.string().max(64).optional(),
  schema: z.string().max(64).optional(),
});

export function addDocsPage(app: App, { mount = '' }: RouteContext): void {
  let cached: ApiReference | undefined;
  app.get('/docs', { config: { scope: 'read' }, schema: { querystring } }, (request, reply) => {
    const { tag, schema } = request.query;
    // The document is complete when the server is ready, and never changes.
    const reference = (cached ??= readDocument(app.swagger()));
    const origin = `${request.protocol}://${request.host}${mount}`;
    return renderPage(request, reply, {
      title: 'API',
      here: '/docs',
      lead: `${reference.description} Version ${reference.version}.`,
      aside: <a href="/openapi.json">OpenAPI 3.1 as JSON</a>,
      body: (
        <>
          <Tabs label="API sections" tabs={listTabs(reference, tag, schema)} />
          {schema !== undefined ? (
            <SchemaSection reference={reference} name={schema} />
          ) : tag === undefined ? (
            <ApiIndex reference={reference} />
          ) : (
            <TagSection reference={reference} tag={tag} origin={origin} />
          )}
        </>
      ),
    });
  });
}

function listTags({ operations }: ApiReference): string[] {
  return [...new Set(operations.map(({ tag }) => tag))];
}

function listTabs(reference: ApiReference, tag: string | undefined, schema: string | undefined) {
  return [
    { href: '/docs', words: 'all', here: tag === undefined && schema === undefined },
    ...listTags(reference).map((name) => ({ href: `/docs?tag=${name}`, words: name, here: name === tag })),
  ];
}

function ApiIndex({ reference }: { reference: ApiReference }) {
  if (reference.operations.length === 0)
    return <EmptyState words="This server serves pages only; its API is off." />;
  return (
    <>
      <AccessHelp />
      {listTags(reference).map((tag) => (
        <Section title={tag} id={tag}>
          <Table
            caption={`Operations of ${tag}`}
            rows={reference.operations.filter((operation) => operation.tag === tag)}
            columns={[
              {
                head: 'Operation',
                cell: ({ id, summary }) => <a href={`/docs?tag=${tag}#${id}`}>{summary}</a>,
              },
              {
                head: 'Method and path',
                cell: ({ method, path }) => (
                  <>
                    {method} <code>{path}</code>
                  </>
                ),
              },
              { head: 'Scope', cell: ({ scopes }) => scopes.join(' and '), wide: true },
            ]}
          />
        </Section>
      ))}
      <FailureTable operations={reference.operations} />
      <Section title="Types" id="types">
        <p class="words">
          {reference.schemas.map(({ name }) => (
            <>
              <a href={`/docs?schema=${name}`}>{name}</a>{' '}
            </>
          ))}
        </p>
      </Section>
    </>
  );
}

function AccessHelp() {
  return (
    <Section title="Access" id="access">
      <p>
        Until you create the first token, a server bound to localhost requires no token. After that, every
        request needs a token. Scopes: <code>read</code> reads everything found, <code>write</code> changes
        topics, searches and rules, <code>run</code> starts runs, which may cost money, <code>sql</code>{' '}
        queries the views, and <code>admin</code> manages tokens.
      </p>
      <pre class="shell" tabIndex={0}>
        <code>{'TOKEN=$(strandline token create --name my-program --scope read)'}</code>
      </pre>
    </Section>
  );
}

function FailureTable({ operations }: { operations: readonly Operation[] }) {
  const words = new Map(
    operations.flatMap(({ failures }) => failures.map((failure) => [failure.status, failure.words] as const)),
  );
  return (
    <Section
      title="Errors"
      id="failures"
      note="Errors are application/problem+json with type, title, status, detail, instance, and errors: the path of each invalid member."
    >
      <Table
        caption="Error statuses"
        rows={[...words].toSorted(([a], [b]) => (a < b ? -1 : 1))}
        columns={[
          { head: 'Status', cell: ([status]) => status, number: true },
          { head: 'Meaning', cell: ([, meaning]) => meaning },
        ]}
      />
    </Section>
  );
}

function TagSection({ reference, tag, origin }: { reference: ApiReference; tag: string; origin: string }) {
  const operations = reference.operations.filter((operation) => operation.tag === tag);
  if (operations.length === 0) throw new Refused('not_found', `the API has no part ${tag}`);
  return (
    <>
      <ul class="plain words">
        {operations.map(({ id, summary }) => (
          <li>
            <a href={`#${id}`}>{summary}</a>
          </li>
        ))}
      </ul>
      {operations.map((operation) => (
        <OperationSection operation={operation} origin={origin} />
      ))}
    </>
  );
}

function SchemaSection({ reference, name }: { reference: ApiReference; name: string }) {
  const schema = reference.schemas.find((candidate) => candidate.name === name);
  if (schema === undefined) throw new Refused('not_found', `the API has no type ${name}`);
  return (
    <Section title={schema.name} id="schema" note={schema.meaning === '' ? undefined : schema.meaning}>
      <MemberTable caption={`Members of ${name}`} members={schema.members} />
    </Section>
  );
}
