/** `emerging`: names that more authors of a day use than of the week before. */
import type { Command } from 'commander';
import { formatPercent } from '../lib/display-format.ts';
import type { EmergingDay, EmergingRow } from '../monitor/trends/read-emerging.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, type ReplyColumn, renderRows } from './reply-view.ts';
import { oneLine } from './terminal-text.ts';

type Day = JsonOf<EmergingDay>;
type Row = JsonOf<EmergingRow> & { day: string };

const COLUMNS: readonly ReplyColumn<Row>[] = [
  { of: 'day', as: ({ day }) => day.slice(0, 'yyyy-mm-dd'.length) },
  {
    of: 'name',
    as: ({ name, kind }) => oneLine(kind === 'hashtag' ? `#${name}` : name),
    elastic: 2,
    least: 12,
  },
  { of: 'kind', drop: 1 },
  { of: 'authors', right: true },
  { of: 'share', as: ({ share }) => formatPercent(share), right: true },
  { of: 'share_before', head: 'week before', as: (row) => formatPercent(row.share_before), right: true },
  { of: 'first_post_id', head: 'first post', drop: 2 },
];

const VIEW: OperationView<Row> = {
  columns: COLUMNS,
  replies: {
    listEmergingNames: {
      lines: (reply, terms) => renderRows(listDays(reply).flatMap(withDay), COLUMNS, terms),
      says: (reply) => {
        const days = listDays(reply);
        const unknown = days.filter(({ names }) => names === null).length;
        if (days.length === 0)
          return ['The topic has no microblog search, so there are no posts to compare.'];
        return [
          ...(days.every(({ names }) => (names ?? []).length === 0)
            ? ['Nothing differs from the week before.']
            : []),
          ...(unknown > 0
            ? [
                `${unknown} of ${days.length} days cannot be compared: they, or the week before them, were not observed.`,
              ]
            : []),
        ];
      },
    },
  },
};

const listDays = (reply: unknown) => (reply as { items: Day[] }).items; // as it replies

const withDay = ({ day, names }: Day): Row[] => (names ?? []).map((name) => ({ ...name, day }));

export function registerEmerging(emerging: Command, cli: Cli): void {
  emerging.description(
    'Names, words, hashtags and domains that more authors of a day use than of the week before.',
  );
  addOperations(emerging, cli, VIEW);
}
