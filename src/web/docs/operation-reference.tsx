/** One operation in the API reference, and members of a type. */

import { tryParseJson } from '../../lib/json-values.ts';
import { Table } from '../components/data-table.tsx';
import { Section } from '../components/section.tsx';
import { quoteShell } from '../components/untrusted-text.tsx';
import type { Member, Operation } from './openapi-document.ts';

export function OperationSection({ operation, origin }: { operation: Operation; origin: string }) {
  const { id, method, path, summary, description, scopes, parameters, body, example, answers, failures } =
    operation;
  return (
    <Section title={summary} id={id} aside={<a href={`#${id}`}>{id}</a>}>
      <p class="operation">
        <strong>{method}</strong> <code>{path}</code>
      </p>
      {description === '' ? null : <p class="prose">{description}</p>}
      <p class="note">
        {scopes.length === 0 ? 'No token required.' : `Required scope: ${scopes.join(' and ')}.`}
      </p>
      {parameters.length === 0 ? null : (
        <Table
          caption={`Parameters of ${id}`}
          rows={parameters}
          columns={[
            { head: 'Parameter', cell: ({ name }) => <code>{name}</code> },
            { head: 'In', cell: ({ place, required }) => `${place}${required ? ', required' : ''}` },
            { head: 'Type', cell: ({ type }) => type },
            { head: 'Description', cell: ({ meaning }) => meaning },
            {
              head: 'Example',
              cell: ({ example: value }) => (value === null ? '' : <code>{value}</code>),
              wide: true,
            },
          ]}
        />
      )}
      {body === null ? null : (
        <>
          <h3>Body</h3>
          <MemberTable caption={`Members of the body of ${id}`} members={body} needed />
        </>
      )}
      <pre class="shell" tabIndex={0}>
        <code>{formatCurl(operation, origin)}</code>
      </pre>
      {example === null ? null : (
        <details>
          <summary>Example request body</summary>
          <pre class="raw" tabIndex={0}>
            <code>{example}</code>
          </pre>
        </details>
      )}
      <ul class="plain">
        {answers.map(({ status, words, type, of, example: answer }) => (
          <li>
            <strong>{status}</strong> {words} {of === null ? type : <SchemaLink name={of} />}
            {answer === null ? null : (
              <details>
                <summary>Example response</summary>
                <pre class="raw" tabIndex={0}>
                  <code>{answer}</code>
                </pre>
              </details>
            )}
          </li>
        ))}
        {failures.length === 0 ? null : (
          <li class="quiet-text">
            <a href="/docs#failures">Errors</a>: {failures.map(({ status }) => status).join(', ')}
          </li>
        )}
      </ul>
    </Section>
  );
}

export function MemberTable({
  caption,
  members,
  needed = false,
}: {
  caption: string;
  members: readonly Member[];
  needed?: boolean;
}) {
  return (
    <Table
      caption={caption}
      rows={members}
      columns={[
        {
          head: 'Member',
          cell: ({ name, required }) => (
            <>
              <code>{name}</code>
              {needed && required ? ', required' : ''}
            </>
          ),
        },
        {
          head: 'Type',
          cell: ({ type, of }) => (of === null || of !== type ? type : <SchemaLink name={of} />),
        },
        { head: 'Description', cell: ({ meaning }) => meaning },
      ]}
    />
  );
}

function SchemaLink({ name }: { name: string }) {
  return <a href={`/docs?schema=${name}`}>{name}</a>;
}

/** The curl command for an operation. @param origin of this server, with the mount of the application */
function formatCurl({ method, path, parameters, example: body, scopes }: Operation, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const example = parameters.find(
      (parameter) => parameter.place === 'path' && parameter.name === name,
    )?.example;
    return example === undefined || example === null ? whole : encodeURIComponent(example);
  });
  const queryParts = parameters.flatMap(({ place, name, required, example: value }) =>
    place === 'query' && required && value !== null ? [`${name}=${encodeURIComponent(value)}`] : [],
  );
  const query = queryParts.length === 0 ? '' : `?${queryParts.join('&')}`;
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoteShell(`${origin}${filled}${query}`)}`,
    ...(scopes.length === 0 ? [] : [`  -H "Authorization: Bearer $TOKEN"`]),
    ...(body === null
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d ${quoteShell(minifyJson(body))}`]),
  ].join(' \\\n');
}

function minifyJson(json: string): string {
  const value = tryParseJson(json);
  return value === undefined ? json : JSON.stringify(value); // an example may be plain text
}
