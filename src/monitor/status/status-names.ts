/** What people call the status of searches and topics. Pure. */
import type { SearchStatusName } from '../../model/closed-lists.ts';
import type { TopicStatus } from './search-status.ts';

/** Names of the statuses, for people. */
export const STATUS_NAMES: Readonly<Record<SearchStatusName, string>> = {
  broken: 'broken',
  failing: 'failing',
  silent: 'silent',
  nothing_coming: 'nothing coming',
  waiting_for_source: 'waiting for a source',
  capped: 'capped',
  waiting: 'waiting for its first run',
  ok: 'OK',
  paused: 'paused',
  removed: 'removed',
};

/** `failing`, `paused until Fri, 27 Nov, 09:00`. @param formatEnd writes the end of a pause for a reader */
export function nameStatus(
  { status, paused_until }: { status: SearchStatusName; paused_until: Date | null },
  formatEnd: (at: Date) => string,
): string {
  const name = STATUS_NAMES[status];
  return status === 'paused' && paused_until !== null ? `${name} until ${formatEnd(paused_until)}` : name;
}

/** `failing`, or of several searches `1 of 2 searches failing`; `no searches`. @param formatEnd as of {@link nameStatus} */
export function nameTopicStatus(
  {
    status,
    searches,
    total,
    paused_until,
  }: Pick<TopicStatus, 'status' | 'total' | 'paused_until'> & { searches: { length: number } },
  formatEnd: (at: Date) => string,
): string {
  if (status === null) return 'no searches';
  const name = nameStatus({ status, paused_until }, formatEnd);
  if (total < 2) return name;
  if (status === 'ok') {
    const others = total - searches.length;
    return others === 0 ? name : `${name}, ${others} of ${total} searches paused`;
  }
  return `${searches.length} of ${total} searches ${name}`;
}
