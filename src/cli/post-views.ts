/** `posts`: lists, and one post with its versions. */
import type { Command } from 'commander';
import { COUNTER_BY_PLURAL, COUNTER_PLURALS, type CounterPlural } from '../model/counters.ts';
import type { PostOrder } from '../store/queries/post-pages.ts';
import type { PostRow, PostSighting, readPostVersions } from '../store/queries/post-detail.ts';
import type { Cli } from './command-context.ts';
import { highlightMatched, sayNotIndexed } from './highlighted-words.ts';
import { addOperations, isOperation } from './operation-commands.ts';
import {
  type JsonOf,
  type OperationView,
  type ReplyColumn,
  renderFacts,
  type Terms,
  withDates,
} from './reply-view.ts';
import { oneLine, splitParagraphs } from './terminal-text.ts';
import { formatCount, formatTime } from './value-formatting.ts';

type Versions = JsonOf<Awaited<ReturnType<typeof readPostVersions>>>;
/** A post of a list, or one post. */
type Row = JsonOf<PostRow> & { sorted_by: number | null; matched: string[] } & {
  post: JsonOf<PostRow>;
  versions: Versions;
  found_by: JsonOf<PostSighting>[];
};

const PUBLISHED: Exclude<ReplyColumn<Row>, string> = {
  of: 'created_at',
  head: 'published',
  as: (post, { page, now }) => formatTime(post.created_at, now, page),
};

const TEXT: readonly ReplyColumn<Row>[] = [
  {
    of: 'author_username',
    head: 'by',
    as: ({ author_username: name }, { page }) => (name === null ? page.unknown : `@${name}`),
    elastic: 1,
    paint: (shown, _row, { page }) => page.colors.cyan(shown),
  },
  { of: 'text', elastic: 4, least: 16, paint: highlightMatched },
];

const counter = (head: CounterPlural, drop?: number): ReplyColumn<Row> => ({
  of: COUNTER_BY_PLURAL[head],
  head,
  right: true,
  ...(drop === undefined ? {} : { drop }),
});

/** The column that the list is sorted by comes first; other counters follow if there is room. */
function columnsOf(order: PostOrder): readonly ReplyColumn<Row>[] {
  if (order === 'newest' || order === 'oldest')
    return [PUBLISHED, counter('likes'), counter('reposts', 2), counter('views', 1), ...TEXT];
  const others = COUNTER_PLURALS.filter((name) => name !== order && name !== 'quotes');
  return [
    { of: 'sorted_by', head: order, right: true },
    ...others.map((name, i) => counter(name, i + 2)),
    { ...PUBLISHED, drop: 1 },
    ...TEXT,
  ];
}

/** @param usual the order unless another is typed */
const createView = (usual: PostOrder): OperationView<Row> => ({
  columns: ({ typed }) => columnsOf((typed['sort'] ?? usual) as PostOrder), // one of the choices of the option
  url: ({ url }) => url,
  none: 'No posts.',
  replies: { listPosts: { says: (_rows, terms) => sayNotIndexed(terms) }, getPost: { lines: renderPost } },
});

async function renderPost({ post, versions, found_by }: Row, terms: Terms): Promise<string[]> {
  // A list needs neither.
  const [{ renderVersions }, { POST_VERSION_MEMBERS }] = await Promise.all([
    import('./item-versions-view.ts'),
    import('../model/item-versions.ts'),
  ]);
  const { page } = terms;
  return [
    ...renderFacts(
      post,
      [
        'id',
        {
          of: 'author_username',
          head: 'by',
          as: ({ author_username: name }) => (name === null ? page.unknown : `@${name}`),
        },
        { of: 'created_at', head: 'published' },
        { of: 'first_seen_at', head: 'first seen' },
        {
          of: 'external_id',
          head: 'found by',
          as: () => found_by.map(describeSighting).join(', ') || 'no search',
        },
        ...COUNTER_PLURALS.map((head) => ({
          of: COUNTER_BY_PLURAL[head],
          head,
          as: (row: JsonOf<PostRow>) => formatCount(row[COUNTER_BY_PLURAL[head]], page),
        })),
      ],
      terms,
    ),
    '',
    ...splitParagraphs(post.text),
    ...(post.url === null ? [] : ['', oneLine(post.url)]),
    ...renderVersions(
      versions.map((version) => withDates(version, ['created_at'])),
      POST_VERSION_MEMBERS,
      page,
    ),
  ];
}

function describeSighting({ search, unseen }: JsonOf<PostSighting>): string {
  return unseen ? `${search} (no longer returned)` : search;
}

export async function registerPosts(posts: Command, cli: Cli): Promise<void> {
  posts.description(
    'Posts that searches found, with their latest counters. The query language: docs/reference/queries.md.',
  );
  const isTop = ({ subject }: { subject: string }) => subject === 'topPosts';
  addOperations(posts, cli, createView('newest'), (spec) => !isTop(spec));
  addOperations(posts, cli, createView('likes'), isTop);
  if (!isOperation(cli)) (await import('./posts-growth-command.ts')).registerPostsGrowth(posts, cli);
}
