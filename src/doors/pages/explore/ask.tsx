import type { ReaderResult } from '../../../store/reader-query.ts';
import { Button, Field, Form } from '../kit/form.tsx';
import { counted } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';

/** One statement, asked as the reader. */
export function Ask({
  sql,
  most,
  refused,
}: {
  sql: string | undefined;
  most: number;
  refused: string | undefined;
}) {
  return (
    <Section
      title="Ask"
      id="ask"
      note={`One statement over the views; nothing can be changed by it. At most ${most} rows and 30 seconds; the command strandline sql has no limit of rows.`}
    >
      {refused === undefined ? null : (
        <p class="wrong" role="alert">
          <Outside text={refused} most={2_000} />
        </p>
      )}
      <Form action="/explore/sql" label="A statement">
        <Field
          name="sql"
          label="Statement"
          kind="textarea"
          rows={Math.min(16, Math.max(5, (sql ?? '').split('\n').length + 1))}
          value={sql}
          placeholder="select search, count(*) from new_today group by 1"
        />
        <p>
          <Button words="Ask" kind="main" />
        </p>
      </Form>
    </Section>
  );
}

const NUMBERS = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']);
const MOST_CELL = 300;

export function Result({ result, most }: { result: ReaderResult; most: number }) {
  const { columns, rows, durationMs } = result;
  const more = rows.length >= most ? ', and there may be more' : '';
  return (
    <Section
      title="What was found"
      id="result"
      note={`${counted(rows.length, 'row')} in ${Math.round(durationMs)} ms${more}; times are UTC.`}
    >
      {rows.length === 0 ? (
        <Empty words="No row answers it." />
      ) : (
        <Table
          caption="Rows that answer the statement"
          rows={rows}
          columns={columns.map(({ name, type }, i) => ({
            head: <Outside text={name} most={60} />,
            cell: (row: readonly unknown[]) => <Cell value={row[i]} />,
            number: NUMBERS.has(type),
          }))}
        />
      )}
    </Section>
  );
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span class="unknown">null</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' ? <></> : <Outside text={text} most={MOST_CELL} />;
}
