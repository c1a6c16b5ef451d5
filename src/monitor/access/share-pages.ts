/** Which pages can be shared, and how their addresses are stored. */
import { findCurrentSlugs } from '../../store/topics/former-slugs.ts';
import {
  readSubjects,
  type Subject,
  type SubjectKind,
  writePlaceholder,
} from '../../store/access/share-subjects.ts';
import type { Context } from '../context.ts';
import { readOwnAddress } from './manage-views.ts';

type SharePage = { path: RegExp; subject?: SubjectKind; describe: (topics: string) => string };

/** A page shows everything that its address chooses and leads nowhere else, so lists, which are read by leafing, are left out. */
const PAGES: readonly SharePage[] = [
  { path: /^\/$/, describe: () => 'Overview' },
  { path: /^\/topics\/([a-z\d-]+)$/, subject: 'topic', describe: (topic) => `Topic ${topic}` },
  { path: /^\/searches\/([a-z\d-]+)$/, subject: 'search', describe: (topic) => `Search of ${topic}` },
  {
    path: /^\/searches\/([a-z\d-]+)\/completions$/,
    subject: 'search',
    describe: (topic) => `Answers about ${topic}`,
  },
  { path: /^\/stories\/(\d{1,18})$/, subject: 'story', describe: (topic) => `Story of ${topic}` },
];
const COMPARISON = '/compare';

export const EXPECTED_PAGE =
  'the address of the overview, a topic, a search, its answers, a story or a comparison, such as /topics/ferry?range=7d';

/** Whether pages at this address can be shared; says nothing about whether it exists. */
export function isShareable(address: string): boolean {
  const [path = '', query = ''] = address.split('?', 2);
  return (
    PAGES.some((page) => page.path.test(path)) ||
    (path === COMPARISON && new URLSearchParams(query).has('topics'))
  );
}

/** The address of the form that shares a page. */
export function writeShareForm(address: string): string {
  return `/shares/new?${new URLSearchParams({ address }).toString()}`;
}

/**
 * An address as it is stored, with ids for slugs.
 * @returns undefined if it is no address of such a page, or names something that does not exist or is removed
 */
export async function bindAddress(
  { db }: Pick<Context, 'db'>,
  written: string,
): Promise<{ address: string; title: string } | undefined> {
  const own = readOwnAddress(written);
  if (own === undefined) return undefined;
  const [path = '', text = ''] = own.split('?', 2);
  const query = new URLSearchParams(text);
  if (path === COMPARISON) {
    const slugs = query
      .getAll('topics')
      .flatMap((list) => list.split(','))
      .filter((slug) => slug !== '');
    const subjects = await findSubjects(db, 'topic', [...new Set(slugs)]);
    if (subjects === undefined || subjects.length < 2) return undefined;
    query.delete('topics');
    const topics = `topics=${subjects.map(writePlaceholder).join(',')}`;
    return {
      address: `${path}?${[topics, ...(query.size === 0 ? [] : [query.toString()])].join('&')}`,
      title: `Comparison of ${subjects.map(({ topic }) => topic).join(', ')}`,
    };
  }
  const rest = query.size === 0 ? '' : `?${query.toString()}`;
  for (const { path: pattern, subject: kind, describe } of PAGES) {
    const [whole, slug] = pattern.exec(path) ?? [];
    if (whole === undefined) continue;
    if (kind === undefined || slug === undefined) return { address: `${path}${rest}`, title: describe('') };
    const [subject] = (await findSubjects(db, kind, [slug])) ?? [];
    if (subject === undefined) return undefined;
    return {
      address: `${path.replace(slug, () => writePlaceholder(subject))}${rest}`,
      title: describe(subject.topic),
    };
  }
  return undefined;
}

/** In the order of their slugs, of which former ones count; undefined if one is missing. */
async function findSubjects(
  db: Context['db'],
  kind: SubjectKind,
  slugs: readonly string[],
): Promise<Subject[] | undefined> {
  const current = kind === 'story' ? slugs : await findCurrentSlugs(db.pool, kind, slugs);
  const found = await readSubjects(db, kind, { slugs: current });
  const inOrder = current.flatMap((slug) => found.find((subject) => subject.slug === slug) ?? []);
  return inOrder.length === slugs.length ? inOrder : undefined;
}
