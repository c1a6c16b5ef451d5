/** `goal`: what the news of a topic is about, and what a language model judges by it. */
import type { Command } from 'commander';
import type { JudgementRow } from '../store/queries/judgements.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, type ReplyColumn, renderRows } from './reply-view.ts';
import { oneLine } from './terminal-text.ts';
import { formatTime } from './value-formatting.ts';

type Row = JsonOf<JudgementRow> & { goal: string | null };
type Trial = {
  found: number;
  problem: string | null;
  stories: (Pick<Row, 'relevant' | 'why' | 'text' | 'url' | 'kind'> & { id: string })[];
};

const VERDICT: ReplyColumn<Row> = {
  of: 'relevant',
  head: 'relevant',
  as: ({ relevant }) => (relevant === null ? 'not judged' : relevant ? 'yes' : 'no'),
};
const WHY: ReplyColumn<Row> = { of: 'why', as: ({ why }) => oneLine(why ?? ''), elastic: 1, drop: 2 };
const TEXT: ReplyColumn<Row> = { of: 'text', as: ({ text }) => oneLine(text ?? ''), elastic: 2, least: 16 };

const VIEW: OperationView<Row> = {
  columns: [
    {
      of: 'found_at',
      head: 'found',
      as: ({ found_at: at }, { page, now }) => formatTime(at, now, page),
      drop: 1,
    },
    VERDICT,
    WHY,
    TEXT,
  ],
  none: 'Nothing to judge: the topic has no goal, or found nothing since it was set.',
  replies: {
    setTopicGoal: { says: ({ topic, goal }) => [`${topic}: news is "${oneLine(goal ?? '')}"`] },
    removeTopicGoal: { says: ({ topic }) => [`${topic}: everything it finds is news`] },
    tryTopicGoal: {
      lines: (reply, terms) =>
        renderRows((reply as unknown as { stories: Row[] }).stories, [VERDICT, WHY, TEXT], terms), // as it replies
      says: (reply) => {
        const { found, stories, problem } = reply as unknown as Trial; // as above
        const count = (wanted: boolean | null) =>
          stories.filter(({ relevant }) => relevant === wanted).length;
        const judged = `${count(true)} of ${stories.length} would be reported`;
        return [
          stories.length === 0
            ? 'The topic found nothing in the last day to try it on.'
            : `${judged}${found > stories.length ? `, the newest of ${found}` : ''}${count(null) > 0 ? `; ${count(null)} not judged` : ''}. Nothing was saved.`,
          ...(problem === null ? [] : [oneLine(problem)]),
        ];
      },
    },
  },
};

export function registerGoal(goal: Command, cli: Cli): void {
  goal.description('Goal of a topic: what its news is about, as a language model judges it.');
  addOperations(goal, cli, VIEW);
}
