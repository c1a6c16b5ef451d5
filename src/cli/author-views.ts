/** `authors`: one author with their versions, and how all that is stored about them is deleted. */
import type { Command } from 'commander';
import { AUTHOR_VERSION_MEMBERS } from '../model/item-versions.ts';
import type { AuthorRow, readAuthorVersions } from '../store/queries/authors.ts';
import type { Cli } from './command-context.ts';
import { renderVersions } from './item-versions-view.ts';
import { addOperations, isOperation } from './operation-commands.ts';
import { type JsonOf, type OperationView, renderFacts, type Terms } from './reply-view.ts';
import { oneLine, splitParagraphs } from './terminal-text.ts';

type Row = JsonOf<{ author: AuthorRow; versions: Awaited<ReturnType<typeof readAuthorVersions>> }>;

const VIEW: OperationView<Row> = { columns: [], replies: { getAuthor: { lines: renderAuthor } } };

function renderAuthor({ author, versions }: Row, terms: Terms): string[] {
  return [
    ...renderFacts(
      author,
      [
        'id',
        { of: 'username', as: ({ username }) => (username === null ? terms.page.unknown : `@${username}`) },
        'name',
        'location',
        'service',
        { of: 'first_seen_at', head: 'first seen' },
        { of: 'followers_count', head: 'followers' },
        { of: 'statuses_count', head: 'posts written' },
      ],
      terms,
    ),
    ...(author.description ? ['', ...splitParagraphs(author.description)] : []),
    ...(author.url ? ['', oneLine(author.url)] : []),
    ...renderVersions(versions, AUTHOR_VERSION_MEMBERS, terms.page),
  ];
}

export async function registerAuthors(authors: Command, cli: Cli): Promise<void> {
  authors.description('Authors of stored posts.');
  addOperations(authors, cli, VIEW);
  if (!isOperation(cli)) (await import('./authors-commands.ts')).registerForget(authors, cli);
}
