/** `views`: addresses of pages, each under a name. */
import type { Command } from 'commander';
import type { SavedView } from '../store/access/saved-views.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import type { JsonOf, OperationView } from './reply-view.ts';

const VIEW: OperationView<JsonOf<SavedView>> = {
  columns: [
    { of: 'id', head: 'view' },
    { of: 'name', elastic: 1 },
    { of: 'address', elastic: 2 },
    { of: 'created_at', head: 'saved', drop: 1 },
  ],
  none: 'No saved views. Add one: strandline views add --help',
  replies: {
    saveView: { says: ({ name, address }) => [`Saved view "${name}": ${address}`] },
    removeView: { says: ({ name }) => [`Removed view "${name}"`] },
  },
};

export function registerViews(views: Command, cli: Cli): void {
  views.description('Saved views: addresses of pages with their filters, each under a name.');
  addOperations(views, cli, VIEW);
}
