import type { Command } from 'commander';
import type { TopicSource, TopicSources } from '../monitor/sources/list-sources.ts';
import type { AddedSources, TestedSource } from '../monitor/sources/manage-sources.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, type ReplyColumn, renderRows, type Terms } from './reply-view.ts';
import { oneLine } from './terminal-text.ts';
import { formatRelative } from './value-formatting.ts';

type Row = JsonOf<TopicSource>;
type Added = Omit<AddedSources, 'added'> & { added: readonly Row[] };

const when = (at: string | null, { now, page }: Terms) =>
  at === null ? null : formatRelative(new Date(at), now, page);

const COLUMNS: readonly ReplyColumn<Row>[] = [
  { of: 'id', head: 'source' },
  { of: 'kind', drop: 1 },
  { of: 'on', head: '', as: ({ on }) => (on ? 'on' : 'off') },
  { of: 'entries', drop: 4 },
  { of: 'newest_at', head: 'newest', as: ({ newest_at }, terms) => when(newest_at, terms) ?? '', drop: 2 },
  { of: 'read_at', head: 'read', as: ({ read_at }, terms) => when(read_at, terms) ?? '', drop: 3 },
  {
    of: 'address',
    head: 'address',
    as: ({ kind, address, title }) => (kind === 'service' ? title : address),
    elastic: 2,
  },
  {
    of: 'problem',
    head: 'problem',
    as: ({ problem, needs }) => oneLine(needs === null ? (problem ?? '') : `off: set ${needs}`),
    elastic: 1,
  },
];

const VIEW: OperationView<Row> = {
  columns: COLUMNS,
  replies: {
    listTopicSources: {
      lines: (reply, terms) =>
        renderRows((reply as unknown as TopicSources & { sources: Row[] }).sources, COLUMNS, terms), // as it replies
      says: (reply, { typed }) => {
        const { sources, notes } = reply as unknown as TopicSources; // as above
        const has = sources.some(({ kind }) => kind !== 'service');
        const add = `strandline sources add ${String(typed['topic'])} https://...`;
        return has ? notes : [`This topic has no sources of its own. Add one: ${add}`, ...notes];
      },
    },
    addTopicSource: {
      says: (reply) => {
        const { added, present, refused, notes } = reply as unknown as Added; // as it replies
        return [
          ...added.map(({ id, kind, address }) => `added ${id}: ${kind} ${oneLine(address)}`),
          ...present.map((address) => `already there: ${oneLine(address)}`),
          ...refused.map(({ address, reason }) => `refused: ${oneLine(address)}: ${reason}`),
          ...notes.map(oneLine),
        ];
      },
      fails: (reply) => {
        const { added, present } = reply as unknown as Added; // as above
        return added.length + present.length === 0;
      },
    },
    testTopicSource: {
      says: (reply) => [oneLine((reply as unknown as TestedSource).says)], // as it replies
      fails: (reply) => (reply as unknown as TestedSource).problem !== null, // as above
    },
    switchOnTopicSource: { says: ({ id, title, address }) => [`${id}: on (${oneLine(title || address)})`] },
    switchOffTopicSource: { says: ({ id, title, address }) => [`${id}: off (${oneLine(title || address)})`] },
    removeTopicSource: { says: ({ id, address }) => [`${id}: removed (${oneLine(address)})`] },
  },
};

export function registerSources(sources: Command, cli: Cli): void {
  sources.description(
    'Sources of a topic: feeds, sites, pages and searches of your own, and those of the service.',
  );
  addOperations(sources, cli, VIEW);
}
