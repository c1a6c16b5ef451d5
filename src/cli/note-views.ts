/** `notes`: what people know about a time of a topic. */
import type { Command } from 'commander';
import type { TopicNote } from '../store/topics/topic-notes.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, type ReplyColumn, renderRows } from './reply-view.ts';
import { oneLine } from './terminal-text.ts';
import { formatTime } from './value-formatting.ts';

type Row = JsonOf<TopicNote>;

const LISTED: readonly ReplyColumn<Row>[] = [
  { of: 'id', right: true },
  { of: 'at', as: ({ at }, { page, now }) => formatTime(at, now, page) },
  { of: 'text', as: ({ text }) => oneLine(text), elastic: 2, least: 16 },
  { of: 'added_by', head: 'by', as: ({ added_by: by }) => oneLine(by), drop: 1 },
];

type Listed = { notes: Row[] };

const VIEW: OperationView<Row> = {
  columns: LISTED,
  replies: {
    listTopicNotes: {
      lines: (reply, terms) => renderRows((reply as unknown as Listed).notes, LISTED, terms), // as it replies
      says: (reply, { typed }) =>
        (reply as unknown as Listed).notes.length > 0 // as above
          ? []
          : [`No notes. Add one: strandline notes add ${String(typed['topic'])} "Campaign started"`],
    },
    addTopicNote: { says: ({ id, topic }) => [`Note ${id} of ${topic}: added`] },
    editTopicNote: { says: ({ id, topic }) => [`Note ${id} of ${topic}: saved`] },
    removeTopicNote: { says: ({ id, topic }) => [`Note ${id} of ${topic}: removed`] },
  },
};

export function registerNotes(notes: Command, cli: Cli): void {
  notes.description('Notes of a topic, shown on its chart: what people know about a time.');
  addOperations(notes, cli, VIEW);
}
