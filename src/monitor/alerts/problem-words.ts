/** Problems of strandline itself in words: one sentence for messages, pages and commands. */
import { formatDuration } from '../../lib/display-format.ts';
import { capitalize } from '../../lib/text.ts';
import type { SystemEventKind } from '../../model/alerts.ts';
import type { SystemEvent } from '../../store/alerts/system-event-rows.ts';

/** What a message reports about a problem: its beginning, its end, or both. */
export const PROBLEM_CHANGES = ['began', 'ended', 'passed'] as const;
export type ProblemChange = (typeof PROBLEM_CHANGES)[number];

/** Words for a problem: for a title, while it lasts, when it has ended, and when it is over. */
type Words = { noun: string; title: string; lasts: string; ended: string; passed: string };

const WORDS: Readonly<Record<SystemEventKind, Words>> = {
  search_failing: {
    noun: 'search',
    title: 'fails',
    lasts: 'has been failing',
    ended: 'works again',
    passed: 'was failing',
  },
  search_stopped: {
    noun: 'search',
    title: 'is stopped',
    lasts: 'has been stopped',
    ended: 'is active again',
    passed: 'was stopped',
  },
  search_silent: {
    noun: 'search',
    title: 'is silent',
    lasts: 'has been silent',
    ended: 'runs again',
    passed: 'was silent',
  },
  nothing_coming: {
    noun: 'search',
    title: 'returns nothing',
    lasts: 'has returned nothing',
    ended: 'returns results again',
    passed: 'returned nothing',
  },
  source_down: {
    noun: 'source',
    title: 'fails',
    lasts: 'has been failing',
    ended: 'works again',
    passed: 'was failing',
  },
  channel_dead: {
    noun: 'channel',
    title: 'delivers nothing',
    lasts: 'has delivered nothing',
    ended: 'delivers again',
    passed: 'delivered nothing',
  },
  budget_low: {
    noun: 'service',
    title: 'has nearly used its calls of the day',
    lasts: 'has nearly used its calls of the day',
    ended: 'has calls left again',
    passed: 'had nearly used its calls of the day',
  },
  worker_stopped: {
    noun: 'worker',
    title: 'sends no heartbeat',
    lasts: 'has sent no heartbeat',
    ended: 'runs again or was replaced',
    passed: 'sent no heartbeat',
  },
  nothing_ran: {
    noun: '',
    title: 'nothing ran',
    lasts: 'nothing has run',
    ended: 'searches run again',
    passed: 'nothing ran',
  },
};

type Named = Pick<SystemEvent, 'kind' | 'subject'>;

function nameSubject({ kind, subject }: Named): string {
  const { noun } = WORDS[kind];
  return noun === '' ? '' : `${noun} ${subject} `;
}

/** `search ferry fails`, `search ferry works again`. */
export function titleProblem(event: Named, change: ProblemChange): string {
  const { title, ended, passed } = WORDS[event.kind];
  return `${nameSubject(event)}${{ began: title, ended, passed }[change]}`;
}

/**
 * `Search ferry has been failing since 21 Nov 2026, 14:02 UTC: the service refused the key. Check the key, then resume.`,
 * `Search ferry works again after 3 h, since 21 Nov 2026, 17:05 UTC.`
 * @param formatAt writes a time for its reader
 */
export function describeProblem(
  event: Pick<SystemEvent, 'kind' | 'subject' | 'since' | 'until' | 'reason' | 'advice'>,
  change: ProblemChange,
  formatAt: (at: Date) => string,
): string {
  const { since, reason, advice } = event;
  const until = event.until ?? since;
  const { lasts, ended, passed } = WORDS[event.kind];
  const subject = nameSubject(event);
  const lasted = formatDuration(until.getTime() - since.getTime());
  const why = reason === null ? '' : `: ${reason}`;
  if (change === 'ended') return capitalize(`${subject}${ended} after ${lasted}, since ${formatAt(until)}.`);
  if (change === 'passed')
    return capitalize(`${subject}${passed} from ${formatAt(since)} to ${formatAt(until)} (${lasted})${why}.`);
  return `${capitalize(`${subject}${lasts} since ${formatAt(since)}${why}.`)}${advice === null ? '' : ` ${advice}`}`;
}

/** The path of the page about the subject of a problem. */
export function findProblemPage({
  kind,
  subject,
  search,
}: Named & {
  /** Slug of the search. */ search: string | null;
}): string {
  if (search !== null) return `/searches/${search}`;
  return kind === 'channel_dead' ? `/alerts/channels/${subject}` : '/system';
}
