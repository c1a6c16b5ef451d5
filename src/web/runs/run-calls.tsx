/** Calls of a run: ledger, request, rejected items, raw response. */

import type { RequestPreview } from '../../monitor/runs/request-preview.ts';
import type { CallRow, RejectRow, StoredResponseNote } from '../../store/queries/run-list.ts';
import type { RawResponse } from '../../store/runs/responses.ts';
import { Table } from '../components/data-table.tsx';
import { ActionButton } from '../components/form.tsx';
import { findStringEnd } from '../../lib/json-values.ts';
import { formatBytes } from '../../lib/display-format.ts';
import { Count, isPaid, Usd, formatCount } from '../components/numbers.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

const UNKNOWN_CALL = 'unknown: the process ended before the response arrived; counts as paid';

export function CallTable({ rows }: { rows: readonly CallRow[] }) {
  const paid = rows.some(({ service }) => isPaid(service));
  return (
    <Section
      title="Calls"
      id="calls"
      note={
        rows.length === 0
          ? undefined
          : `Calls are recorded before they are sent. ${paid ? 'The service may charge for them.' : 'They are free.'}`
      }
    >
      <Table
        empty="No calls."
        caption="Calls of this run"
        rows={rows}
        columns={[
          { head: <span class="unseen">Order</span>, cell: ({ n }) => `${n}.`, number: true },
          { head: 'State', cell: ({ state }) => (state === 'unknown' ? UNKNOWN_CALL : state) },
          { head: 'Service', cell: ({ service }) => service },
          { head: 'Sent', cell: ({ sent_at }) => <Timestamp at={sent_at} exact /> },
          { head: 'HTTP', cell: ({ http_status: status }) => status ?? 'no response', number: true },
          {
            head: 'Duration',
            cell: ({ latency_ms: ms }) => <Count of={ms} unit="ms" units="ms" />,
            number: true,
          },
          {
            head: 'Size',
            cell: ({ bytes }) => (bytes === null ? <Count of={null} /> : formatBytes(bytes)),
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
    </Section>
  );
}

const MAX_BODY_TEXT = 10_000;

export function RequestSection({ sent }: { sent: RequestPreview | string }) {
  return (
    <Section
      title="Request"
      id="request"
      note="Built from the version of the search that ran. The API key is sent in the Authorization header and is never stored here."
    >
      {typeof sent === 'string' ? (
        <EmptyState words={sent} />
      ) : (
        <pre class="raw" tabIndex={0}>
          <code>
            <UntrustedText text={formatRequest(sent)} most={MAX_BODY_TEXT + 2_000} />
          </code>
        </pre>
      )}
    </Section>
  );
}

function formatRequest({ method, path, headers, body }: RequestPreview): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...head, '', formatJsonText(body, MAX_BODY_TEXT).text].join('\n');
}

export function RejectTable({ rows, limit }: { rows: readonly RejectRow[]; limit: number }) {
  if (rows.length === 0) return null;
  return (
    <Section
      title="Rejected items"
      id="rejects"
      note={`Items of the response that could not be parsed${rows.length === limit ? ` (the first ${limit})` : ''}. All others were saved.`}
    >
      <Table
        caption="Rejected items"
        rows={rows}
        columns={[
          {
            head: 'Path',
            cell: ({ path }) => (
              <code>
                <UntrustedText text={path} most={200} />
              </code>
            ),
          },
          { head: 'Reason', cell: ({ code }) => code.replaceAll('_', ' ') },
          {
            head: 'Excerpt',
            cell: ({ sample }) => (
              <code>
                <UntrustedText text={sample} most={160} />
              </code>
            ),
          },
        ]}
      />
    </Section>
  );
}

/** Characters shown, and bytes decoded for them. */
const MAX_RESPONSE_TEXT = 20_000;
const MAX_PREVIEW_BYTES = 200_000;
/** Larger responses are not unpacked for a preview. */
export const MAX_INLINE_BYTES = 5_000_000;

/** The raw response: a preview and a download. */
export function ResponseSection({
  id,
  note,
  lastStatus,
  answer,
  days,
  replayable,
}: {
  id: bigint;
  note: StoredResponseNote | undefined;
  /** HTTP status of the last call; null without a response. */
  lastStatus: number | null;
  /** Null if too large to preview. */
  answer: RawResponse | null;
  /** Retention of responses. */
  days: number;
  /** Whether the visitor may have it parsed again. */
  replayable: boolean;
}) {
  if (note === undefined)
    return (
      <Section title="Raw response" id="answer">
        <EmptyState
          words={`Not available: there was no response, or it is older than ${formatCount(days, 'day')}.`}
        />
      </Section>
    );
  const shown = answer === null ? null : previewResponse(answer);
  return (
    <Section
      title="Raw response"
      id="answer"
      note={
        <>
          Call {note.n}, <Timestamp at={note.received_at} exact />: {formatBytes(note.bytes)}
          {note.content_type === null ? '' : `, ${note.content_type.slice(0, 80)}`}. Kept for{' '}
          {formatCount(days, 'day')}.
        </>
      }
      aside={
        <span class="aside">
          <a class="button" href={`/runs/${id}/answer`} download={`run-${id}.txt`}>
            Download
          </a>
          {replayable && (lastStatus === null || lastStatus < 300) ? (
            <ActionButton action={`/runs/${id}/replay`} words="Parse again (no new call)" />
          ) : null}
        </span>
      }
    >
      {shown === null ? (
        <EmptyState
          words="Too large to show here."
          todo={{ words: 'Download', href: `/runs/${id}/answer` }}
        />
      ) : (
        <details>
          <summary>{shown.cut ? 'Show the beginning' : 'Show'}</summary>
          <pre class="raw" tabIndex={0}>
            <code>
              <UntrustedText text={shown.text} most={MAX_RESPONSE_TEXT} />
            </code>
          </pre>
        </details>
      )}
    </Section>
  );
}

/** JSON indented, anything else as it is. */
function previewResponse({ body, contentType }: RawResponse): { text: string; cut: boolean } {
  const text = body.subarray(0, MAX_PREVIEW_BYTES).toString('utf8');
  if (contentType?.includes('json') === true) {
    const set = formatJsonText(text, MAX_RESPONSE_TEXT);
    return { text: set.text, cut: set.cut || body.byteLength > MAX_PREVIEW_BYTES };
  }
  return {
    text: text.slice(0, MAX_RESPONSE_TEXT),
    cut: text.length > MAX_RESPONSE_TEXT || body.byteLength > MAX_PREVIEW_BYTES,
  };
}

const INDENT = '  ';

/**
 * Indents JSON text, up to `most` characters, without parsing it: numbers keep their digits, members their order, and
 * truncated or invalid JSON is still shown.
 */
export function formatJsonText(text: string, most: number): { text: string; cut: boolean } {
  let out = '';
  let depth = 0;
  let i = 0;
  for (; i < text.length && out.length < most; i += 1) {
    const sign = text[i] ?? '';
    if (sign === '"') {
      const end = findStringEnd(text, i);
      out += text.slice(i, end + 1);
      i = end;
    } else if (sign === '{' || sign === '[') {
      const next = skipWhitespace(text, i + 1);
      if (text[next] === (sign === '{' ? '}' : ']')) {
        out += sign + text[next];
        i = next;
      } else {
        depth += 1;
        out += sign + startLine(depth);
      }
    } else if (sign === '}' || sign === ']') {
      depth = Math.max(0, depth - 1);
      out += startLine(depth) + sign;
    } else if (sign === ',') out += sign + startLine(depth);
    else if (sign === ':') out += ': ';
    else if (!isWhitespace(sign)) out += sign;
  }
  const shown = out.slice(0, most);
  return { text: shown, cut: i < text.length || out.length > most };
}

function startLine(depth: number): string {
  return `\n${INDENT.repeat(Math.min(depth, 40))}`;
}

function skipWhitespace(text: string, begin: number): number {
  let i = begin;
  while (i < text.length && isWhitespace(text[i] ?? '')) i += 1;
  return i;
}

function isWhitespace(sign: string): boolean {
  return sign === ' ' || sign === '\n' || sign === '\r' || sign === '\t';
}
