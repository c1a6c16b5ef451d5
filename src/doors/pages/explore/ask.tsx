import { SECOND } from '../../../engine/clock.ts';
import type { Finished } from '../../../store/reader/process.ts';
import { LONGEST_MS, MAX_ROWS } from '../../../store/reader/ask.ts';
import { MAX_RESULT_MB } from '../../../store/reader/render.ts';
import { Button, Field, Form } from '../kit/form.tsx';
import { counted } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';

/** One statement, asked as the reader. */
export function Ask({ sql, refused }: { sql: string | undefined; refused: string | undefined }) {
  return (
    <Section
      title="Ask"
      id="ask"
      note={`One statement over the views; nothing can be changed by it. At most ${MAX_ROWS} rows, ${MAX_RESULT_MB} MB and ${LONGEST_MS / SECOND} seconds; the command strandline sql has no limit of rows.`}
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

/** The table comes finished from the process for statements, in which text of others is only ever text. */
export function Result({ result: { body, rows, more, durationMs } }: { result: Finished }) {
  const rest = more ? '; more rows were not fetched' : '';
  return (
    <Section
      title="What was found"
      id="result"
      note={`${counted(rows, 'row')} in ${Math.round(durationMs)} ms${rest}; times are UTC.`}
    >
      {rows === 0 ? (
        <Empty words="No rows." />
      ) : (
        <div dangerouslySetInnerHTML={{ __html: body.toString() }} />
      )}
    </Section>
  );
}
