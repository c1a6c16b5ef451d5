/** `stories`: what the items of a topic say, each once. */
import type { Command } from 'commander';
import type { StoryItemRow, StoryRow } from '../store/queries/stories.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import type { JsonOf, OperationView, ReplyColumn } from './reply-view.ts';
import { oneLine } from './terminal-text.ts';
import { formatTime } from './value-formatting.ts';

type Row = JsonOf<StoryRow> & JsonOf<StoryItemRow> & { changed: boolean };

const TEXT: ReplyColumn<Row> = { of: 'text', as: ({ text }) => oneLine(text ?? ''), elastic: 2, least: 16 };
const AUTHOR: ReplyColumn<Row> = {
  of: 'author_username',
  head: 'first by',
  as: ({ author_username: name }, { page }) => (name === null ? page.unknown : `@${name}`),
  drop: 2,
};

const STORIES: OperationView<Row> = {
  columns: [
    { of: 'id', right: true },
    {
      of: 'last_news_at',
      head: 'last news',
      as: ({ last_news_at: at }, { page, now }) => formatTime(at, now, page),
    },
    { of: 'members', head: 'items', as: ({ members }) => `×${members}`, right: true },
    { of: 'authors', right: true, drop: 3 },
    AUTHOR,
    {
      of: 'relevant',
      as: ({ relevant, why }) =>
        relevant === null ? '' : oneLine(`${relevant ? 'yes' : 'no'}: ${why ?? ''}`),
      drop: 1,
    },
    TEXT,
  ],
  none: 'No stories: nothing in this topic was said twice.',
  replies: {
    dismissStory: {
      says: ({ changed }) => [changed ? 'Not relevant: not listed or reported again' : 'Unchanged'],
    },
    restoreStory: {
      says: ({ changed }) => [changed ? 'Restored: listed, and can be reported again' : 'Unchanged'],
    },
  },
};

const ITEMS: OperationView<Row> = {
  columns: [
    {
      of: 'found_at',
      head: 'found',
      as: ({ found_at: at }, { page, now }) => formatTime(at, now, page),
    },
    'kind',
    { of: 'item_id', head: 'id', right: true },
    { ...AUTHOR, head: 'by' },
    TEXT,
  ],
  url: ({ url }) => url,
};

export function registerStories(stories: Command, cli: Cli): void {
  stories.description('Stories of a topic: what its posts and links say, each once.');
  const isItems = ({ id }: { id: string }) => id === 'listStoryItems';
  addOperations(stories, cli, STORIES, (spec) => !isItems(spec));
  addOperations(stories, cli, ITEMS, isItems);
}
