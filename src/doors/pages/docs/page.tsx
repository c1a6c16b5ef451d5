/** The reference of the API, made of its own document. */
import { z } from 'zod';
import { Refused } from '../../../errors.ts';
import type { App } from '../../routes.ts';
import { Empty, Section } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Table } from '../kit/table.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { type Operation, readDocument, type Reference } from './document.ts';
import { Members, OperationPart } from './operation.tsx';

const querystring = z.strictObject({
  tag: z.string().max(64).optional(),
  schema: z.string().max(64).optional(),
});

export function docsPage(app: App): void {
  let read: Reference | undefined;
  app.get('/docs', { config: { scope: 'read' }, schema: { querystring } }, (request, reply) => {
    // The document is whole when the server is ready, and never changes.
    read ??= readDocument(app.swagger());
    const { tag, schema } = request.query;
    const reference = read;
    const origin = `${request.protocol}://${request.host}`;
    return showPage(request, reply, {
      title: 'API',
      here: '/docs',
      lead: `${reference.description} Version ${reference.version}.`,
      aside: <a href="/openapi.json">OpenAPI 3.1 as JSON</a>,
      body: (
        <>
          <Tabs label="Parts of the API" tabs={tabsOf(reference, tag, schema)} />
          {schema !== undefined ? (
            <Schema reference={reference} name={schema} />
          ) : tag === undefined ? (
            <Index reference={reference} />
          ) : (
            <Tag reference={reference} tag={tag} origin={origin} />
          )}
        </>
      ),
    });
  });
}

function tagsOf({ operations }: Reference): string[] {
  return [...new Set(operations.map(({ tag }) => tag))];
}

function tabsOf(reference: Reference, tag: string | undefined, schema: string | undefined) {
  return [
    { href: '/docs', words: 'all', here: tag === undefined && schema === undefined },
    ...tagsOf(reference).map((one) => ({ href: `/docs?tag=${one}`, words: one, here: one === tag })),
  ];
}

function Index({ reference }: { reference: Reference }) {
  if (reference.operations.length === 0)
    return <Empty words="This server answers pages alone: the API is not open here." />;
  return (
    <>
      <Access />
      {tagsOf(reference).map((tag) => (
        <Section title={tag} id={tag}>
          <Table
            caption={`Operations of ${tag}`}
            rows={reference.operations.filter((one) => one.tag === tag)}
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
      <Failures operations={reference.operations} />
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

function Access() {
  return (
    <Section title="Access" id="access">
      <p>
        Where no token was ever made, and the server listens on this machine alone, whoever reaches it may do
        everything. As soon as there is a token, every request needs one. A token holds scopes:{' '}
        <code>read</code> sees what was found, <code>write</code> changes topics, searches and rules,{' '}
        <code>run</code> lets calls be made that may cost money, and <code>admin</code> makes tokens.
      </p>
      <pre class="shell" tabIndex={0}>
        <code>{'TOKEN=$(strandline token create --name my-program --scope read)'}</code>
      </pre>
    </Section>
  );
}

function Failures({ operations }: { operations: readonly Operation[] }) {
  const words = new Map(
    operations.flatMap(({ failures }) => failures.map((one) => [one.status, one.words] as const)),
  );
  return (
    <Section
      title="Failures"
      id="failures"
      note="Each is application/problem+json: type, title, status, detail, code, and errors with the path of each member that is wrong."
    >
      <Table
        caption="Statuses of failures"
        rows={[...words].toSorted(([a], [b]) => (a < b ? -1 : 1))}
        columns={[
          { head: 'Status', cell: ([status]) => status, number: true },
          { head: 'What it means', cell: ([, meaning]) => meaning },
        ]}
      />
    </Section>
  );
}

function Tag({ reference, tag, origin }: { reference: Reference; tag: string; origin: string }) {
  const operations = reference.operations.filter((one) => one.tag === tag);
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
        <OperationPart operation={operation} origin={origin} />
      ))}
    </>
  );
}

function Schema({ reference, name }: { reference: Reference; name: string }) {
  const found = reference.schemas.find((one) => one.name === name);
  if (found === undefined) throw new Refused('not_found', `the API has no type ${name}`);
  return (
    <Section title={found.name} id="schema" note={found.meaning === '' ? undefined : found.meaning}>
      <Members caption={`Members of ${name}`} members={found.members} />
    </Section>
  );
}
