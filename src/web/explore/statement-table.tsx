/** Query results as an HTML table, rendered in the process for statements. */
import { renderToString } from 'preact-render-to-string';
import { type FetchedRows, type Rendered, renderRows } from '../../store/reader/reader-query.ts';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { Table, TableRow } from '../components/data-table.tsx';

const NUMBER_TYPES = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']);
const MAX_CELL = 300;

/** Without rows, the body is empty. */
export function renderTable(fetched: FetchedRows): Rendered {
  const { columns, texts, readCell } = fetched;
  if (texts.length === 0) return { body: '', rows: 0, more: false };
  const shown = columns.map(({ name, type }, i) => ({
    head: <UntrustedText text={name} most={60} />,
    cell: (row: FetchedRows['texts'][number]) => <ValueCell read={() => readCell(row[i] ?? null, i)} />,
    number: NUMBER_TYPES.has(type),
  }));
  const frame = renderToString(<Table caption="Query result" rows={[]} columns={shown} />);
  const rows = frame.indexOf(NO_ROWS) + '<tbody>'.length;
  return renderRows(
    fetched,
    { before: frame.slice(0, rows), between: '', behind: () => frame.slice(rows) },
    (row) => renderToString(<TableRow row={row} columns={shown} />),
  );
}

const NO_ROWS = '<tbody></tbody>';

/** Parses the value only when rendered: it may be many times larger than its text. */
function ValueCell({ read }: { read: () => unknown }) {
  const value = read();
  if (value === null || value === undefined) return <span class="unknown">null</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' ? <></> : <UntrustedText text={text} most={MAX_CELL} />;
}
