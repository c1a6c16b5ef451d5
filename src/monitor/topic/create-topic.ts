/** A topic with its searches, saved together or not at all. */
import { InvalidInput, type Problem, Refused } from '../../errors.ts';
import { oneCleanLine } from '../../contract/text.ts';
import { createdWith, recordAudit } from '../../store/audit.ts';
import { inTransaction, type Transaction } from '../../store/database.ts';
import { findSearch } from '../../store/searches.ts';
import type { Service } from '../../store/services.ts';
import { findTopic, type Topic } from '../../store/topics.ts';
import type { Acting, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { type Created, insertChecked, recordCreated } from './create.ts';
import { type CheckedSearch, checkSearch, checkSlug, type WrittenSearch } from './definition.ts';
import { assertTopicKept } from './find.ts';
import { topicRemoved } from './named.ts';
import { serviceFor } from './service-for.ts';
import { slugOf } from './slug-of.ts';

/** A search of a topic that is being made; its slug is made from the topic's where it is left out. */
export type TopicSearch = Omit<WrittenSearch, 'slug'> & { slug?: string | undefined };

export type NewTopic = {
  name: string;
  /** Made from the name where it is left out. */
  slug?: string | undefined;
  /** Of all its searches. */
  service?: string | undefined;
  searches: readonly TopicSearch[];
};

export type Watched = { topic: string; created: Created[] };

/** Longest name of a topic. */
const NAME_MAX = 200;

/**
 * Saves a topic with its searches; each runs once at once.
 * @throws InvalidInput with all that is wrong, at `name`, `slug`, `service` or `searches[0].prompt`
 * @throws Refused `conflict` where the topic exists, or did, or a search's slug is taken
 */
export async function createTopic(ctx: Acting, written: NewTopic): Promise<Watched> {
  const problems: Problem[] = [];
  const name = checkName(written.name, problems);
  const slug = written.slug === undefined ? slugOf(name) : checkSlug(written.slug, 'slug', problems);
  // What is wrong with the topic's slug is not said once more of each that is made from it.
  const stem = problems.some(({ path }) => path === 'slug') ? 'topic' : slug;
  const checked = await checkSearches(ctx, stem, written.searches, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const service = await serviceFor(ctx, written.service);
  return insertTopic(ctx, { slug, name, sample: false }, checked, service);
}

/**
 * Saves searches in a topic that is there; each runs once at once.
 * @throws InvalidInput, Refused `not_found` where there is no such topic, `conflict` where a slug is taken
 */
export async function addSearches(
  ctx: Acting,
  slug: string,
  { service: asked, searches }: Pick<NewTopic, 'service' | 'searches'>,
): Promise<Watched> {
  await assertTopicKept(ctx.db, slug);
  const problems: Problem[] = [];
  const checked = await checkSearches(ctx, slug, searches, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const service = await serviceFor(ctx, asked);
  return {
    topic: slug,
    created: await insertAll(
      ctx,
      { slug, name: slug, sample: false },
      checked,
      service,
      async (tx, created) => {
        for (const one of created) await recordCreated(ctx, tx, one);
      },
    ),
  };
}

/** Writes a topic that is not there yet. @throws Refused `conflict` where it is, or was */
export async function insertTopic(
  ctx: Acting,
  topic: Pick<Topic, 'slug' | 'name' | 'sample'>,
  checked: readonly CheckedSearch[],
  service: Service,
): Promise<Watched> {
  const { slug } = topic;
  const before = await findTopic(ctx.db.pool, slug);
  if (before !== null && before.archived_at !== null) throw topicRemoved(slug, before.archived_at);
  if (before !== null)
    throw new Refused('conflict', `the topic "${slug}" exists already; choose another slug`);
  const created = await insertAll(ctx, topic, checked, service, (tx, made) =>
    recordAudit(tx, ctx, {
      action: 'topic.created',
      subject: slug,
      changes: createdWith({ name: topic.name, searches: made.map(({ search }) => search.slug) }),
    }),
  );
  return { topic: slug, created };
}

async function insertAll(
  ctx: Acting,
  topic: Pick<Topic, 'slug' | 'name' | 'sample'>,
  checked: readonly CheckedSearch[],
  service: Service,
  record: (tx: Transaction, created: readonly Created[]) => Promise<void>,
): Promise<Created[]> {
  const created = await inTransaction(ctx.db, async (tx) => {
    const made: Created[] = [];
    for (const one of checked) made.push(await insertChecked(ctx, tx, { checked: one, topic, service }));
    await record(tx, made);
    return made;
  });
  await enqueueNewRuns(
    ctx,
    created.map(({ firstRunId }) => firstRunId),
    'first',
  );
  return created;
}

async function checkSearches(
  ctx: Context,
  topic: string,
  searches: readonly TopicSearch[],
  problems: Problem[],
): Promise<CheckedSearch[]> {
  if (searches.length === 0) problems.push({ path: 'searches', given: [], expected: 'one search or more' });
  const taken = new Set<string>();
  const checked: CheckedSearch[] = [];
  for (const [i, written] of searches.entries()) {
    const slug = written.slug ?? (await freeSlug(ctx, topic, written.operation ?? 'microblog', taken));
    taken.add(slug);
    try {
      checked.push(checkSearch({ ...written, slug }));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      problems.push(...error.problems.map((one) => ({ ...one, path: `searches[${i}].${one.path}` })));
    }
  }
  return checked;
}

const MOST_ALIKE = 100;

/** `ferry-posts`, `ferry-ai`, `ferry-posts-2`: the first that no search has, or had. */
async function freeSlug(
  ctx: Context,
  topic: string,
  operation: string,
  taken: ReadonlySet<string>,
): Promise<string> {
  const stem = `${topic.slice(0, 54)}-${operation === 'ai' ? 'ai' : 'posts'}`;
  for (let n = 1; n < MOST_ALIKE; n += 1) {
    const slug = n === 1 ? stem : `${stem}-${n}`;
    if (!taken.has(slug) && (await findSearch(ctx.db.pool, slug)) === null) return slug;
  }
  throw new Refused(
    'conflict',
    `the topic "${topic}" has so many searches that each needs a slug of its own`,
  );
}

/** @returns the name in one line; where it is none, a problem is added */
export function checkName(name: string, problems: Problem[]): string {
  const text = oneCleanLine(name.toWellFormed());
  if (text === '' || text.length > NAME_MAX)
    problems.push({ path: 'name', given: name, expected: `a name of 1 to ${NAME_MAX} characters` });
  return text;
}
