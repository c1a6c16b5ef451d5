/** What `posts show` and `authors show` print: one item, and what differed between its versions. */
import {
  AUTHOR_VERSION_MEMBERS,
  compareVersions,
  POST_VERSION_MEMBERS,
  type VersionChange,
} from '../model/item-versions.ts';
import { COUNTER_BY_PLURAL, COUNTER_PLURALS } from '../model/counters.ts';
import { createNotFound, Refused } from '../model/errors.ts';
import type { Id } from '../store/db/database.ts';
import { findAuthorsNamed, readAuthor, readAuthorVersions } from '../store/queries/authors.ts';
import {
  findPostsAt,
  type PostSighting,
  readPost,
  readPostSightings,
  readPostVersions,
} from '../store/queries/post-detail.ts';
import type { Cli } from './command-context.ts';
import { parseId } from './option-values.ts';
import type { Terminal } from './terminal-io.ts';
import { type Column, renderList, renderTable } from './terminal-table.ts';
import { oneLine, splitParagraphs } from './terminal-text.ts';
import { formatCount, formatInstant } from './value-formatting.ts';

export type ShowOptions = { json?: boolean };

/** @param named its id or address */
export function showPost(cli: Cli, named: string, { json }: ShowOptions): Promise<void> {
  return cli.withProgram(async ({ ctx }) => {
    const find = async () => {
      return pickOne('post', named, await findPostsAt(ctx.db, named, ctx.config.linkRules));
    };
    const id = /^https?:/i.test(named) ? await find() : parseId('post', named);
    const post = await readPost(ctx.db, id);
    if (post === undefined) throw createNotFound('post', id);
    const compared = compareVersions(await readPostVersions(ctx.db, id), POST_VERSION_MEMBERS);
    const found_by = await readPostSightings(ctx.db, id);
    const { page } = cli;
    await cli.show(json, { post, versions: compared.map(nameChanges), found_by }, () => [
      ...renderList(
        [
          ['id', String(id)],
          ['by', post.author_username === null ? page.unknown : `@${post.author_username}`],
          ['published', formatInstant(post.created_at, page)],
          ['first seen', formatInstant(post.first_seen_at, page)],
          ['found by', found_by.map(describeSighting).join(', ') || 'no search'],
          ...COUNTER_PLURALS.map((name) => [name, formatCount(post[COUNTER_BY_PLURAL[name]], page)] as const),
        ],
        page,
      ),
      '',
      ...splitParagraphs(post.text),
      ...(post.url === null ? [] : ['', oneLine(post.url)]),
      ...renderVersions(compared, page),
    ]);
  });
}

/** @param named its id, or `@` and username */
export function showAuthor(cli: Cli, named: string, { json }: ShowOptions): Promise<void> {
  return cli.withProgram(async ({ ctx }) => {
    const find = async () => {
      return pickOne('author', named, await findAuthorsNamed(ctx.db, named.slice(1)));
    };
    const id = named.startsWith('@') ? await find() : parseId('author', named);
    const author = await readAuthor(ctx.db, id);
    if (author === undefined) throw createNotFound('author', id);
    const compared = compareVersions(await readAuthorVersions(ctx.db, id), AUTHOR_VERSION_MEMBERS);
    const { page } = cli;
    await cli.show(json, { author, versions: compared.map(nameChanges) }, () => [
      ...renderList(
        [
          ['id', String(id)],
          ['username', author.username === null ? page.unknown : `@${author.username}`],
          ['name', author.name ?? page.unknown],
          ['location', author.location ?? page.unknown],
          ['service', author.service],
          ['first seen', formatInstant(author.first_seen_at, page)],
          ['followers', formatCount(author.followers_count, page)],
          ['posts written', formatCount(author.statuses_count, page)],
        ],
        page,
      ),
      ...(author.description ? ['', ...splitParagraphs(author.description)] : []),
      ...(author.url ? ['', oneLine(author.url)] : []),
      ...renderVersions(compared, page),
    ]);
  });
}

/** @throws Refused if none or several match */
function pickOne(
  kind: 'post' | 'author',
  named: string,
  matches: readonly { id: Id; service: string }[],
): Id {
  const [first, ...others] = matches;
  if (first === undefined) throw new Refused('not_found', `no ${kind} ${oneLine(named)} is stored`);
  if (others.length === 0) return first.id;
  const ids = matches.map(({ id, service }) => `${id} (${service})`).join(', ');
  throw new Refused('conflict', `${oneLine(named)} matches several ${kind}s. Use the id of one: ${ids}`);
}

function describeSighting({ search, unseen }: PostSighting): string {
  return unseen ? `${search} (no longer returned)` : search;
}

type Version = { valid_from: Date; valid_until: Date | null; run_id: Id | null; search: string | null };
type ComparedVersion<V extends Version> = { version: V; changes: VersionChange[] };

/** A version with the names of the members that differ from the one before. */
function nameChanges<V extends Version>({ version, changes }: ComparedVersion<V>) {
  return { ...version, changed: changes.map(({ name }) => name) };
}

/** The newest first; nothing if there is one only. */
function renderVersions(compared: readonly ComparedVersion<Version>[], page: Terminal): string[] {
  if (compared.length < 2) return [];
  const columns: Column<ComparedVersion<Version>>[] = [
    { head: 'from', cell: ({ version }) => formatInstant(version.valid_from, page) },
    {
      head: 'until',
      cell: ({ version: { valid_until: at } }) => (at === null ? 'current' : formatInstant(at, page)),
    },
    {
      head: 'seen by',
      cell: ({ version: { search, run_id } }) =>
        search === null || run_id === null ? page.unknown : `${search}, run ${run_id}`,
    },
    {
      head: 'changed',
      cell: ({ changes }) =>
        changes.map(({ label, value }) => `${label}: ${value ?? page.unknown}`).join('; '),
      elastic: 1,
      least: 16,
      wraps: true,
    },
  ];
  return ['', page.bold('versions'), ...renderTable(compared.toReversed(), columns, page)];
}
