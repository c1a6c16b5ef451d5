/** `evidence`: what was found, when, and the hashes of the responses that say so. The whole file is printed as JSON. */
import type { Command } from 'commander';
import type { Evidence } from '../monitor/items/read-evidence.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { type JsonOf, type OperationView, renderFacts, renderRows, type Terms } from './reply-view.ts';

type Row = JsonOf<Evidence>;

const VIEW: OperationView<Row> = {
  columns: [],
  replies: {
    getEvidence: {
      lines: renderEvidence,
      says: ({ is_sample, responses }) => [
        ...(is_sample ? ['note: everything in the sandbox is simulated'] : []),
        ...(responses.some(({ sha256_matches }) => sha256_matches === false)
          ? ['a stored response does not have its hash any more: do not rely on it']
          : []),
        'The file with the raw responses: the same command with --json',
      ],
      fails: ({ responses }) => responses.some(({ sha256_matches }) => sha256_matches === false),
    },
  },
};

function renderEvidence(evidence: Row, terms: Terms): string[] {
  const counts = {
    kind: evidence.kind,
    page: evidence.page,
    made_at: evidence.made_at,
    found_by: evidence.sightings.length,
    versions: evidence.versions.length,
    counters: evidence.counters.length,
    posts: evidence.posts.length,
  };
  return [
    ...renderFacts(
      counts,
      [
        'kind',
        'page',
        { of: 'made_at', head: 'made' },
        { of: 'found_by', head: 'searches' },
        { of: 'versions', head: 'versions' },
        { of: 'counters', head: 'counter changes' },
        { of: 'posts', head: 'posts' },
      ],
      terms,
    ),
    '',
    ...renderRows(
      [...evidence.responses],
      [
        { of: 'run_id', head: 'run' },
        'search',
        { of: 'received_at', head: 'received' },
        { of: 'bytes', as: ({ bytes }) => (bytes === null ? 'expired' : String(bytes)), right: true },
        { of: 'sha256', as: ({ sha256 }) => sha256 ?? '' },
      ],
      terms,
    ),
  ];
}

export function registerEvidence(command: Command, cli: Cli): void {
  command.description(
    'Shows what was found, when and by which search, and the SHA-256 of the raw responses that say so. With --json: the file with all of it, the responses included.',
  );
  addOperations(command, cli, VIEW);
}
