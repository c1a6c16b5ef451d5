/** `names`: the names that a topic looks for in answers, and in what share of answers each is. */
import type { Command } from 'commander';
import { formatPercent } from '../lib/display-format.ts';
import type { NameInAnswers } from '../store/queries/names-in-answers.ts';
import type { TopicNameRow } from '../store/topics/topic-names.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, type ReplyColumn, renderRows } from './reply-view.ts';
import { oneLine } from './terminal-text.ts';

type Row = JsonOf<TopicNameRow> & JsonOf<NameInAnswers>;

const NAME: ReplyColumn<Row> = { of: 'name', as: ({ name }) => oneLine(name), elastic: 2, least: 12 };

const LISTED: readonly ReplyColumn<Row>[] = [
  NAME,
  'side',
  { of: 'aliases', as: ({ aliases }) => oneLine(aliases.join(', ')), elastic: 2, drop: 2 },
  { of: 'domains', as: ({ domains }) => domains.join(', '), elastic: 1, drop: 1 },
];

const IN_ANSWERS: readonly ReplyColumn<Row>[] = [
  NAME,
  { of: 'side', drop: 2 },
  { of: 'present', head: 'answers', as: ({ present, answers }) => `${present} of ${answers}`, right: true },
  { of: 'share', as: ({ share }) => formatPercent(share), right: true },
  { of: 'named', right: true, drop: 3 },
  { of: 'cited', right: true, drop: 4 },
  { of: 'service', drop: 1 },
];

type Listed = { names: Row[] };
type Found = { items: Row[]; reading: boolean; as_of: string | null };

const VIEW: OperationView<Row> = {
  columns: LISTED,
  replies: {
    listTopicNames: {
      lines: (reply, terms) => renderRows((reply as unknown as Listed).names, LISTED, terms), // as it replies
      says: (reply, { typed }) =>
        (reply as unknown as Listed).names.length > 0 // as above
          ? []
          : [`This topic lists no names. Add one: strandline names set ${String(typed['topic'])} "A name"`],
    },
    getNamesInAnswers: {
      lines: (reply, terms) => renderRows((reply as unknown as Found).items, IN_ANSWERS, terms), // as it replies
      says: (reply) => {
        const { items, reading } = reply as unknown as Found; // as above
        return [
          ...(items.length === 0 && !reading
            ? ['No answer was read for a name of this topic. Names: strandline names list TOPIC']
            : []),
          ...(reading ? ['Earlier answers are still being read.'] : []),
        ];
      },
    },
    setTopicName: { says: ({ name, side }) => [`${oneLine(name)}: saved (${side}); answers are read again`] },
    removeTopicName: { says: ({ name }) => [`${oneLine(name)}: removed`] },
  },
};

export function registerNames(names: Command, cli: Cli): void {
  names.description('Names that a topic looks for in answers of AI searches: its own and those of rivals.');
  addOperations(names, cli, VIEW);
}
