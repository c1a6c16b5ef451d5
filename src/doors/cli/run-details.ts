import type { CallRow, RejectRow } from '../../store/reads/runs.ts';
import type { Page } from './page.ts';
import type { Column } from './table.ts';
import { bytes, count, dollars, instant } from './words.ts';

export function callColumns(page: Page): Column<CallRow>[] {
  return [
    { head: 'n', cell: (call) => String(call.n), right: true },
    { head: 'state', cell: (call) => call.state },
    { head: 'sent', cell: (call) => instant(call.sent_at, page) },
    {
      head: 'http',
      cell: (call) => (call.http_status === null ? page.unknown : String(call.http_status)),
      right: true,
    },
    {
      head: 'took',
      cell: (call) => (call.latency_ms === null ? page.unknown : `${count(call.latency_ms, page)} ms`),
      right: true,
    },
    { head: 'size', cell: (call) => bytes(call.bytes, page), right: true },
    { head: 'cost', cell: (call) => dollars(call.cost_usd, page), right: true },
    { head: 'code', cell: (call) => call.code ?? '' },
  ];
}

export function rejectColumns(): Column<RejectRow>[] {
  return [
    { head: 'where', cell: (reject) => reject.path, elastic: 1, wraps: true },
    { head: 'why', cell: (reject) => reject.code },
    { head: 'how it begins', cell: (reject) => reject.sample, elastic: 2 },
  ];
}
