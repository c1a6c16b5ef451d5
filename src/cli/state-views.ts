/** `pause` and `resume`, of all searches, a topic and a search; `remove` of a topic and a search. */
import type { Command } from 'commander';
import type { SearchStatusName } from '../model/closed-lists.ts';
import type { AllChanged } from '../monitor/topics/search-state.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import type { Cli } from './command-context.ts';
import { addOperations, isOperation } from './operation-commands.ts';
import { purgeInstead } from './purge-command.ts';
import type { JsonOf, OperationView, Terms } from './reply-view.ts';
import { describeStateChange, listedSearchColumns } from './search-columns.ts';
import { renderTable } from './terminal-table.ts';
import { formatDayAndMinute, formatQuantity, formatRelative } from './value-formatting.ts';

type Row = Pick<JsonOf<SearchRow>, 'slug' | 'state' | 'paused_until' | 'archived_at' | 'next_due_at'>;
/** A search of a list. */
type Listed = JsonOf<SearchRow> & { status: SearchStatusName };
/** A topic, with its searches that are not removed. */
type TopicRow = { slug: string; searches: readonly Row[] };

const toDate = (at: string | null) => (at === null ? null : new Date(at));
const searches = (n: number) => formatQuantity(n, 'search', 'searches');

function describeSearch({ slug, state, ...times }: Row, { page, now }: Terms): string {
  const [paused_until, archived_at, next_due_at] = [
    toDate(times.paused_until),
    toDate(times.archived_at),
    toDate(times.next_due_at),
  ];
  const next = formatRelative(next_due_at, now, page);
  return `${slug}: ${describeStateChange({ state, paused_until, archived_at }, next, page)}`;
}

const changedSearch = { says: (row: Row, terms: Terms) => [describeSearch(row, terms)] };
const SEARCH_VIEW: OperationView<Row> = {
  columns: [],
  none: 'No searches. Add one: strandline watch "..."',
  replies: {
    listSearches: {
      lines: (rows, { now, page }) =>
        renderTable(rows as unknown as Listed[], listedSearchColumns(now, page), page), // a list
    },
    pauseSearch: changedSearch,
    resumeSearch: changedSearch,
    removeSearch: changedSearch,
  },
};

const changedTopic = {
  complete: async (row: TopicRow, { ask }: Terms) => ({
    ...row,
    searches: (await ask('listSearches', { topic: row.slug })) as Row[], // as that operation replies
  }),
  says: (row: TopicRow, terms: Terms) => row.searches.map((each) => describeSearch(each, terms)),
};
const TOPIC_VIEW: OperationView<TopicRow> = {
  columns: [],
  replies: {
    pauseTopic: changedTopic,
    resumeTopic: changedTopic,
    removeTopic: {
      ...changedTopic,
      says: ({ slug }) => [
        `${slug}: removed; what it found stays. To delete it, too: strandline topic remove ${slug} --purge`,
      ],
    },
  },
};

const ALL_VIEW: OperationView<JsonOf<AllChanged>> = {
  columns: [],
  replies: {
    pauseAll: { says: (row, terms) => [describePause(row, terms)] },
    resumeAll: { says: (row) => [describeResume(row)] },
  },
};

/** `3 searches paused until Fri 2026-11-27 09:00Z; 2 searches paused before, and at least until Fri 2026-11-27 09:00Z` */
function describePause(
  { searches: stopped, still_paused, paused_until }: JsonOf<AllChanged>,
  { page }: Terms,
): string {
  if (stopped.length + still_paused === 0) return 'There is no search to pause.';
  const end =
    paused_until === null
      ? 'until you resume: strandline resume'
      : `until ${formatDayAndMinute(new Date(paused_until), page)}`;
  const others = still_paused === 0 ? '' : `; ${searches(still_paused)} paused before, and at least ${end}`;
  return stopped.length === 0
    ? `No search was running; ${searches(still_paused)} paused at least ${end}`
    : `${searches(stopped.length)} paused ${end}${others}`;
}

/** `3 searches resumed; 2 searches are still paused, by themselves or with their topic: strandline search list --state paused` */
function describeResume({ searches: started, still_paused }: JsonOf<AllChanged>): string {
  const resumed = started.length === 0 ? 'Nothing to resume' : `${searches(started.length)} resumed`;
  if (still_paused === 0) return resumed;
  return `${resumed}; ${searches(still_paused)} still paused, alone or with the topic: strandline search list --state paused`;
}

const isState = ({ subject }: { subject: string }) => subject === 'states';

export async function registerSearch(search: Command, cli: Cli): Promise<void> {
  search.description('Saved searches: query, service and schedule.');
  if (!isOperation(cli)) (await import('./search-commands.ts')).registerSearchByHand(search, cli);
  const instead = { removeSearch: purgeInstead(cli, 'search') };
  addOperations(search, cli, { ...SEARCH_VIEW, instead }, isState);
}

/** Adds `pause`, `resume` and `remove` to `topic`. */
export function addTopicStates(topic: Command, cli: Cli): void {
  const instead = { removeTopic: purgeInstead(cli, 'topic') };
  addOperations(topic, cli, { ...TOPIC_VIEW, instead }, isState);
}

export function registerPause(command: Command, cli: Cli): void {
  command.description(
    'Pauses all searches. A search that is paused by itself or with its topic stays paused; a search that is added or resumed during the pause runs.',
  );
  addOperations(command, cli, ALL_VIEW);
}

export function registerResume(command: Command, cli: Cli): void {
  command.description(
    'Resumes what `strandline pause` paused, each search at its next slot. What is also paused by itself or with its topic stays paused.',
  );
  addOperations(command, cli, ALL_VIEW);
}
