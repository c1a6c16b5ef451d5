import type { SentRequest } from '../../../monitor/run/sent.ts';
import type { CallRow, RejectRow } from '../../../store/reads/runs.ts';
import { bytesOf } from '../detail/units.ts';
import { Count, isPaid, Usd } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Table } from '../kit/table.tsx';
import { When } from '../kit/when.tsx';
import { setInLines } from './json-text.ts';

const UNKNOWN_CALL = 'unknown: the process ended between sending and hearing; it counts as paid';

/** The ledger of a run. */
export function Calls({ rows }: { rows: readonly CallRow[] }) {
  const paid = rows.length === 0 || rows.some(({ service }) => isPaid(service));
  return (
    <Section
      title="Calls"
      id="calls"
      note={`Each is written down before it is sent, and ${paid ? 'billed by the service' : 'costs nothing'}.`}
    >
      {rows.length === 0 ? (
        <Empty words="Nothing was called." />
      ) : (
        <Table
          caption="Calls of this run"
          rows={rows}
          columns={[
            { head: <span class="unseen">Order</span>, cell: ({ n }) => `${n}.`, number: true },
            { head: 'State', cell: ({ state }) => (state === 'unknown' ? UNKNOWN_CALL : state) },
            { head: 'Service', cell: ({ service }) => service },
            { head: 'Sent', cell: ({ sent_at }) => <When at={sent_at} exact /> },
            { head: 'HTTP', cell: ({ http_status: status }) => status ?? 'no answer', number: true },
            { head: 'Took', cell: ({ latency_ms: ms }) => <Count of={ms} unit="ms" />, number: true },
            {
              head: 'Size',
              cell: ({ bytes }) => (bytes === null ? <Count of={null} /> : bytesOf(bytes)),
              number: true,
            },
            {
              head: 'Cost',
              cell: ({ cost_usd, service }) => <Usd of={cost_usd} service={service} />,
              number: true,
            },
            { head: 'Code', cell: ({ code }) => code ?? '' },
          ]}
        />
      )}
    </Section>
  );
}

const MOST_BODY = 10_000;

export function Request({ sent }: { sent: SentRequest | string }) {
  return (
    <Section
      title="The request"
      id="request"
      note="As it is made of the version of the search that was run, in the words of the service. The key goes along in the header authorization and stands nowhere."
    >
      {typeof sent === 'string' ? (
        <Empty words={sent} />
      ) : (
        <pre class="raw" tabIndex={0}>
          <code>
            <Outside text={linesOf(sent)} most={MOST_BODY + 2_000} />
          </code>
        </pre>
      )}
    </Section>
  );
}

function linesOf({ method, path, headers, body }: SentRequest): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...head, '', setInLines(body, MOST_BODY).text].join('\n');
}

export function Rejects({ rows, limit }: { rows: readonly RejectRow[]; limit: number }) {
  if (rows.length === 0) return null;
  return (
    <Section
      title="What could not be read"
      id="rejects"
      note={`Items of the answer, where they stood and how they began${rows.length === limit ? `; the first ${limit}` : ''}. The rest of the answer was kept.`}
    >
      <Table
        caption="Items that could not be read"
        rows={rows}
        columns={[
          {
            head: 'Where',
            cell: ({ path }) => (
              <code>
                <Outside text={path} most={200} />
              </code>
            ),
          },
          { head: 'Why', cell: ({ code }) => code.replaceAll('_', ' ') },
          {
            head: 'How it begins',
            cell: ({ sample }) => (
              <code>
                <Outside text={sample} most={160} />
              </code>
            ),
          },
        ]}
      />
    </Section>
  );
}
