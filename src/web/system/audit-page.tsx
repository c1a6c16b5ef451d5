/** The audit log: who created, changed or removed what. */
import { z } from 'zod';
import { type AuditRow, readAudit } from '../../store/queries/audit-log.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { idKey } from '../../model/value-shapes.ts';
import { emptyField } from '../request-input.ts';
import { writeAddress } from '../components/list-address.ts';
import { Button, Field } from '../components/form.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { EmptyState, Pager } from '../components/section.tsx';
import { renderPage } from '../components/page-layout.tsx';
import { Table } from '../components/data-table.tsx';
import { Timestamp } from '../components/timestamp.tsx';

const PATH = '/system/audit';
const PAGE_SIZE = 50;
const querystring = z.strictObject({
  token: emptyField.or(z.string()).optional(),
  subject: emptyField.or(z.string()).optional(),
  before: emptyField.or(idKey).optional(),
});

export function addAuditPage(app: App, { ctx }: RouteContext): void {
  app.get(PATH, { config: { scope: 'admin' }, schema: { querystring } }, async (request, reply) => {
    const { before, ...filter } = request.query;
    const rows = await readAudit(ctx.db, filter, { limit: PAGE_SIZE + 1, before });
    const shown = rows.slice(0, PAGE_SIZE);
    const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
    const next = last === undefined ? null : writeAddress(PATH, { ...filter, before: last.id });
    return renderPage(request, reply, {
      title: 'Audit log',
      here: PATH,
      lead: 'Who created, changed or removed what, newest first. Secrets and addresses are not recorded.',
      body: (
        <>
          <form class="form inline" method="get" action={PATH} role="search" aria-label="Filter entries">
            <Field name="token" label="Token" value={filter.token} placeholder="all" />
            <Field name="subject" label="Subject" value={filter.subject} placeholder="all" />
            <Button words="Show" />
          </form>
          {shown.length === 0 ? <EmptyState words="No entries." /> : <AuditTable rows={shown} />}
          <Pager first={before === undefined ? null : writeAddress(PATH, filter)} next={next} />
        </>
      ),
    });
  });
}

function AuditTable({ rows }: { rows: readonly AuditRow[] }) {
  return (
    <Table
      caption="Changes, newest first"
      rows={rows}
      columns={[
        { head: 'When', cell: ({ at }) => <Timestamp at={at} exact /> },
        { head: 'Who', cell: (row) => <AuditActor row={row} /> },
        { head: 'Action', cell: ({ action }) => <code>{action}</code> },
        { head: 'Subject', cell: (row) => <AuditSubject row={row} /> },
        { head: 'Changes', cell: (row) => <AuditChanges row={row} />, wide: true },
      ]}
    />
  );
}

const ACTOR_WORDS = {
  token: 'API',
  session: 'signed in',
  local: 'this machine, no token',
  command_line: 'command line',
  program: 'strandline itself',
} as const;

function AuditActor({ row: { actor, token, name } }: { row: AuditRow }) {
  if (name === null) return <>{ACTOR_WORDS[actor]}</>;
  const shown = <UntrustedText text={name} most={40} />;
  return (
    <>
      {token === null ? shown : <a href={writeAddress(PATH, { token })}>{shown}</a>}{' '}
      <span class="unknown">{ACTOR_WORDS[actor]}</span>
    </>
  );
}

/** Paths of pages by kind of subject. */
const SUBJECT_PAGES: Readonly<Record<string, string>> = {
  topic: '/topics/',
  search: '/searches/',
  run: '/runs/',
  rule: '/alerts/rules/',
  channel: '/alerts/channels/',
  delivery: '/alerts/deliveries/',
};

function AuditSubject({ row: { kind, subject, action } }: { row: AuditRow }) {
  if (subject === null) return <span class="unknown">none</span>;
  const page = SUBJECT_PAGES[kind];
  if (page === undefined || action.endsWith('.removed')) return <UntrustedText text={subject} most={64} />;
  return (
    <a href={`${page}${encodeURIComponent(subject)}`}>
      <UntrustedText text={subject} most={64} />
    </a>
  );
}

/** The API and the command line show up to 400 characters. */
const MAX_VALUE_LENGTH = 80;

function AuditChanges({ row: { changes } }: { row: AuditRow }) {
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
                <UntrustedText
                  text={typeof value === 'string' ? value : JSON.stringify(value)}
                  most={MAX_VALUE_LENGTH}
                />
              </>
            ))}
        </div>
      ))}
    </>
  );
}
