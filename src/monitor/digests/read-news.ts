/** What is new in each topic, best first, and what still grows. */
import { describeVerdict } from '../../model/judging.ts';
import type { Translation } from '../../model/translating.ts';
import { forCounters, MAIN_COUNTERS, type MainCounter, sumEngagement } from '../../model/counters.ts';
import { groupBy } from '../../lib/group-by.ts';
import { parseWebUrl } from '../../model/links/link.ts';
import { cleanLine, truncateText } from '../../lib/text.ts';
import type { Id } from '../../store/db/database.ts';
import type { DataScope } from '../../store/queries/data-scope.ts';
import { type DiscoveryRow, readDiscoveriesByIds } from '../../store/queries/discoveries.ts';
import { describeLinks } from '../../store/queries/named-posts.ts';
import { type PostRow, readPostsByIds } from '../../store/queries/post-detail.ts';
import { findIrrelevantPosts, readVerdicts } from '../../store/judgements/verdicts.ts';
import { ONE_COPY, readCopies } from '../../store/stories/one-thing.ts';
import { readTranslations, type Translations } from '../../store/queries/translations.ts';
import { readRisingPosts } from '../../store/queries/rising.ts';
import type { SearchSpan } from '../../store/queries/span-activity.ts';
import { type FeedRange, type NewCandidate, readNewCandidates } from '../../store/queries/span-news.ts';
import { readTrendStates } from '../../store/queries/trend-reports.ts';
import type { TopicRow } from '../../store/queries/topic-list.ts';
import type { Context } from '../context.ts';
import {
  type DigestGrowing,
  type DigestItem,
  type DigestNames,
  type DigestTopic,
  MAX_DIGEST_TEXT,
  MAX_GROWING,
  MAX_ITEMS_PER_TOPIC,
} from './digest-shapes.ts';

/** Topics with something new, most first. */
export async function readNews(
  { db, clock, translator }: Pick<Context, 'db' | 'clock' | 'translator'>,
  topics: readonly TopicRow[],
  span: SearchSpan,
  range: FeedRange | null,
): Promise<DigestTopic[]> {
  const names = new Map(topics.map(({ slug, name }) => [slug, cleanLine(name)]));
  const candidates = groupBy(await readNewCandidates(db, span, range), ({ topic_id }) => topic_id);
  const ids = [...candidates.values()].flat().map(({ id }) => id);
  const rows = await describeLinks(db, await readDiscoveriesByIds(db, ids));
  const posts = await readPostsByIds(db, [...new Set(rows.flatMap((row) => findPostId(row) ?? []))]);
  const items = rows.map((row): [Id, FoundItem] => [
    row.id,
    { id: row.id, ...describeRow(row, names.get(row.topic) ?? row.topic, posts) },
  ]);
  const byId = new Map(items);
  const chosen = topics.flatMap((topic) => {
    const its = candidates.get(topic.id);
    return its === undefined
      ? []
      : [{ topic, its, best: chooseItems(its.flatMap(({ id }) => byId.get(id) ?? [])) }];
  });
  const things = await readCopies(
    db.pool,
    chosen.flatMap(({ best }) => best.map(({ id }) => id)),
  );
  const verdicts = await readVerdicts(
    db.pool,
    chosen.flatMap(({ topic, best }) => (topic.goal === null ? [] : best.map(({ id }) => id))),
    clock.now(),
  );
  const judge = (id: Id): Pick<DigestItem, 'judgement'> => {
    const judged = verdicts.get(id);
    if (judged === undefined) return {};
    return { judgement: describeVerdict(judged.verdict) };
  };
  const translations = await readNewsTranslations(
    db,
    translator === null ? [] : chosen.filter(({ topic }) => topic.language !== null),
  );
  return chosen
    .map(({ topic: { slug }, its, best }): DigestTopic => {
      const count = (kind: NewCandidate['kind']) =>
        its.find((candidate) => candidate.kind === kind)?.total ?? 0;
      return {
        topic: slug,
        topic_name: names.get(slug) ?? slug,
        posts: count('post'),
        links: count('link'),
        least: its.some(({ least }) => least),
        items: best.map(({ id, item, original }) => {
          const { copies, authors, story_id } = things.get(id) ?? ONE_COPY;
          return {
            ...item,
            copies,
            authors,
            story_id: story_id === null ? null : String(story_id),
            ...describeTranslation(translations.get(slug)?.get(original ?? '')),
            ...judge(id),
          };
        }),
      };
    })
    .toSorted((a, b) => b.posts + b.links - a.posts - a.links);
}

/**
 * An item by its discovery, the only discovery of its thing that is first in its topic.
 * @property original its whole text, as it was found
 */
type FoundItem = { id: Id; item: DigestItem; original: string | null };

/** By slug of the topic: those that are there, since a digest waits for none. */
async function readNewsTranslations(
  db: Context['db'],
  topics: readonly { topic: TopicRow; best: readonly FoundItem[] }[],
): Promise<ReadonlyMap<string, Translations>> {
  const found = new Map<string, Translations>();
  for (const { topic, best } of topics) {
    const originals = best.map(({ original }) => original);
    found.set(topic.slug, await readTranslations(db, topic.slug, originals));
  }
  return found;
}

function describeTranslation(translation: Translation | undefined): Pick<DigestItem, 'translation'> {
  if (translation === undefined) return {};
  const { text, language, model } = translation;
  return { translation: { text: truncateText(cleanLine(text), 2 * MAX_DIGEST_TEXT), language, model } };
}

/** The best things: the posts with most engagement, and a place for the best link. */
function chooseItems(items: readonly FoundItem[]): FoundItem[] {
  const sorted = items.toSorted((a, b) => measureEngagement(b.item) - measureEngagement(a.item));
  const first = sorted.slice(0, MAX_ITEMS_PER_TOPIC);
  const link = sorted.find(({ item }) => item.kind === 'link');
  if (link === undefined || first.includes(link)) return first;
  return [...first.slice(0, MAX_ITEMS_PER_TOPIC - 1), link];
}

const measureEngagement = (item: Parameters<typeof sumEngagement>[0]) => sumEngagement(item) ?? -1;

/** A link that names a post is shown as that post. */
const findPostId = ({ named_post_id, post_id }: DiscoveryRow) => named_post_id ?? post_id;

function describeRow(
  row: DiscoveryRow,
  topic_name: string,
  posts: readonly PostRow[],
): Pick<FoundItem, 'item' | 'original'> {
  const { topic, search, text, url, created_at, link_id } = row;
  const postId = findPostId(row);
  const post = postId === null ? undefined : posts.find(({ id }) => id === postId);
  if (post !== undefined)
    return { item: { ...describePost(post), topic, topic_name, search }, original: post.text };
  const item: DigestItem = {
    kind: 'link',
    id: String(link_id),
    topic,
    topic_name,
    search,
    text: shorten(text),
    author: (url === null ? null : parseWebUrl(url))?.hostname.replace(/^www\./, '') ?? null,
    url,
    page: `/links/${link_id}`,
    published_at: created_at?.toISOString() ?? null,
    ...forCounters(MAIN_COUNTERS, () => null),
    copies: 1,
    authors: null,
    story_id: null,
  };
  return { item, original: text };
}

type PostLike = Pick<PostRow, 'id' | 'text' | 'author_username' | 'url' | 'created_at' | MainCounter>;

function describePost(post: PostLike): Omit<DigestItem, 'topic' | 'topic_name' | 'search'> {
  return {
    kind: 'post',
    id: String(post.id),
    text: shorten(post.text),
    author: post.author_username === null ? null : cleanLine(post.author_username) || null,
    url: post.url,
    page: `/posts/${post.id}`,
    published_at: post.created_at?.toISOString() ?? null,
    ...forCounters(MAIN_COUNTERS, (counter) => post[counter]),
    copies: 1,
    authors: null,
    story_id: null,
  };
}

function shorten(text: string | null): string | null {
  return text === null ? null : truncateText(cleanLine(text), MAX_DIGEST_TEXT) || null;
}

/** More than are shown, because some are new and listed already. */
const RISING_READ = 24;

/**
 * Reads what grows: posts that gain more than is typical at their age, as of the end of the span, and searches whose volume
 * rises. Things that are listed as new are left out.
 * @param topics slugs of topics that are not left out
 */
export async function readGrowing(
  { db }: Pick<Context, 'db'>,
  scope: DataScope,
  { searchIds, from, until }: SearchSpan,
  listed: readonly DigestItem[],
  names: DigestNames,
  topics: ReadonlySet<string>,
): Promise<DigestGrowing[]> {
  const [gaining, states] = await Promise.all([
    readRisingPosts(db, { ...scope, since: from, limit: RISING_READ }),
    readTrendStates(db, searchIds, from),
  ]);
  const irrelevant = await findIrrelevantPosts(
    db.pool,
    gaining.map(({ post_id }) => post_id),
  );
  const rising = gaining.filter(
    ({ topic, post_id }) => topics.has(topic) && irrelevant.get(post_id)?.includes(topic) !== true,
  );
  const known = new Set(listed.map(({ kind, id }) => `${kind} ${id}`));
  const searches = states
    .filter((state) => state.state === 'rising' && state.until === null && state.at < until)
    .map(
      ({ topic, search, since, sentence }): DigestGrowing => ({
        kind: 'search',
        ...names.search({ topic, search }),
        since: since.toISOString(),
        sentence,
      }),
    );
  const posts = [...groupBy(rising, ({ post_id }) => post_id).values()]
    .map(([first]) => first)
    .filter(({ post_id, as_of }) => as_of < until && !known.has(`post ${post_id}`))
    .map(
      (row): DigestGrowing => ({
        kind: 'item',
        item: {
          ...describePost({ ...row, id: row.post_id }),
          topic: row.topic,
          topic_name: names.topic(row.topic),
          search: row.search,
          authors: row.author_id === null ? null : 1,
        },
        gained: row.gained_engagement,
        hours: row.observed_hours,
        typical_per_hour: row.typical_per_hour,
      }),
    );
  return [...searches, ...posts].slice(0, MAX_GROWING);
}
