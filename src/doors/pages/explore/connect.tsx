import { Section } from '../kit/section.tsx';

/** How to ask from elsewhere. No address and no password stands here: whoever reads pages need not know them. */
export function Connect({ embedded, reader }: { embedded: boolean; reader: boolean }) {
  return (
    <Section title="From elsewhere" id="connect">
      <p>On the machine that strandline runs on, one statement at a time, as a table or as JSON:</p>
      <pre class="shell" tabIndex={0}>
        <code>
          {
            'strandline sql "select search, count(*) from new_today group by 1"\nstrandline sql --json < question.sql'
          }
        </code>
      </pre>
      {embedded ? (
        <p>
          The database is the embedded one, which listens on this machine alone while strandline runs.{' '}
          <code>strandline config show</code> says where its files are.
        </p>
      ) : (
        <p>
          The database is your own. Any client of Postgres connects as the role <code>strandline_reader</code>
          , which may read these views and nothing else
          {reader
            ? '.'
            : '; set DATABASE_READER_URL to its login, and statements can be asked here and by strandline sql.'}
        </p>
      )}
      <p>
        Views stand in the schema <code>strandline_analytics</code>; write it before a view's name, or set{' '}
        <code>search_path</code>.
      </p>
    </Section>
  );
}
