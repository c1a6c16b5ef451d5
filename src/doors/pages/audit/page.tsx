/** The audit log: who created, changed or removed what. */
import { z } from 'zod';
import { InvalidInput } from '../../../errors.ts';
import { type AuditRow, readAudit } from '../../../store/reads/audit.ts';
import type { App, WebHome } from '../../routes.ts';
import { readKey } from '../detail/key.ts';
import { Button, Field } from '../kit/form.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty } from '../kit/section.tsx';
import { showPage } from '../kit/show.tsx';
import { Pager } from '../kit/tabs.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';

const PER_PAGE = 50;
/** A field that was left empty asks for nothing. */
const blank = z.literal('').transform(() => undefined);
const querystring = z.strictObject({
  token: blank.or(z.string().max(20)).optional(),
  subject: blank.or(z.string().max(100)).optional(),
  before: blank.or(z.string().max(20)).optional(),
});
type Filter = { token?: string | undefined; subject?: string | undefined };

export function auditPage(app: App, { ctx }: WebHome): void {
  app.get(
    '/system/audit',
    { config: { scope: 'admin' }, schema: { querystring } },
    async (request, reply) => {
      const { before: given, ...filter } = request.query;
      const before = given === undefined ? undefined : readKey(given);
      if (given !== undefined && before === undefined)
        throw new InvalidInput([{ path: 'before', given, expected: 'the id of an entry' }]);
      const rows = await readAudit(ctx.db, filter, { limit: PER_PAGE + 1, before });
      const shown = rows.slice(0, PER_PAGE);
      const last = shown.at(-1);
      const next = rows.length > PER_PAGE && last !== undefined ? pathOf(filter, last.id) : null;
      return showPage(request, reply, {
        title: 'Audit log',
        here: '/system',
        above: <a href="/system">System</a>,
        aside: <a href="/system/tokens">Tokens</a>,
        lead: 'Who created, changed or removed what, the newest first. Secrets and addresses are not recorded.',
        body: (
          <>
            <form
              class="form inline"
              method="get"
              action="/system/audit"
              role="search"
              aria-label="Which entries"
            >
              <Field name="token" label="Token" value={filter.token} placeholder="all" />
              <Field name="subject" label="Subject" value={filter.subject} placeholder="all" />
              <Button words="Show" />
            </form>
            {shown.length === 0 ? <Empty words="No entries." /> : <Entries rows={shown} />}
            <Pager first={given === undefined ? null : pathOf(filter)} next={next} />
          </>
        ),
      });
    },
  );
}

/** The address of the log with a filter; what is empty is left out. */
function pathOf(filter: Filter, before?: bigint): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filter, before }))
    if (value !== undefined && value !== '') asked.set(name, String(value));
  return asked.size === 0 ? '/system/audit' : `/system/audit?${asked.toString()}`;
}

function Entries({ rows }: { rows: readonly AuditRow[] }) {
  return (
    <Table
      caption="Changes, the newest first"
      rows={rows}
      columns={[
        { head: 'When', cell: ({ at }) => <When at={at} exact /> },
        { head: 'Who', cell: (row) => <Who row={row} /> },
        { head: 'Action', cell: ({ action }) => <code>{action}</code> },
        { head: 'Subject', cell: (row) => <Subject row={row} /> },
        { head: 'Changes', cell: (row) => <Changes row={row} />, wide: true },
      ]}
    />
  );
}

const ACTOR_WORDS = {
  token: 'API',
  session: 'signed in',
  local: 'this machine, without a token',
  command_line: 'command line',
  program: 'strandline itself',
} as const;

function Who({ row: { actor, token, name } }: { row: AuditRow }) {
  if (name === null) return <>{ACTOR_WORDS[actor]}</>;
  const shown = <Outside text={name} most={40} />;
  return (
    <>
      {token === null ? shown : <a href={pathOf({ token })}>{shown}</a>}{' '}
      <span class="unknown">{ACTOR_WORDS[actor]}</span>
    </>
  );
}

/** Where things have a page, by their kind. */
const PAGES: Readonly<Record<string, string>> = {
  topic: '/topics/',
  search: '/searches/',
  run: '/runs/',
  rule: '/alerts/rules/',
  channel: '/alerts/channels/',
  delivery: '/alerts/deliveries/',
};

function Subject({ row: { kind, subject, action } }: { row: AuditRow }) {
  if (subject === null) return <span class="unknown">–</span>;
  const page = PAGES[kind];
  if (page === undefined || action.endsWith('.removed')) return <Outside text={subject} most={64} />;
  return (
    <a href={`${page}${encodeURIComponent(subject)}`}>
      <Outside text={subject} most={64} />
    </a>
  );
}

/** Longest value on the page; the API and the command line have up to 400 characters. */
const MOST_SHOWN = 80;

function Changes({ row: { changes } }: { row: AuditRow }) {
  return (
    <>
      {Object.entries(changes).map(([field, { before, after }]) => (
        <div>
          {field}:{' '}
          {[before, after]
            .filter((value) => value !== undefined)
            .map((value, i) => (
              <>
                {i === 0 ? '' : ' → '}
                <Outside text={typeof value === 'string' ? value : JSON.stringify(value)} most={MOST_SHOWN} />
              </>
            ))}
        </div>
      ))}
    </>
  );
}
