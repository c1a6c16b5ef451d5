/** Creates topics with their searches, all or nothing; adds searches; renames topics. */

import { maskUrl } from '../../model/links/link.ts';
import { splitFoldedWords } from '../../lib/folded-words.ts';
import { collectProblems, createNotFound, InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { checkSlug, requireSlug } from '../../model/slug.ts';
import { cleanLine } from '../../lib/text.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { MissingTool } from '../../model/tool-coverage.ts';
import { diffFields, nameActor, recordAudit, recordCreation } from '../../store/access/audit-entries.ts';
import { inTransaction, readTime, type Transaction } from '../../store/db/database.ts';
import { keepFormerSlug, releaseFormerSlug } from '../../store/topics/former-slugs.ts';
import { insertFact } from '../../store/db/facts.ts';
import { findSearch, listSearches } from '../../store/topics/searches.ts';
import type { Service } from '../../store/services/services.ts';
import { insertTopicSource, type NewTopicSource } from '../../store/topics/topic-sources.ts';
import { findTopic, listTopics, lockTopic, type Topic, updateTopicNames } from '../../store/topics/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { changeTogether } from '../held-changes.ts';
import { createOrReplace, type Put, type PutOptions } from '../put.ts';
import { assertTopicNotRemoved, createTaken } from './find-by-slug.ts';
import { DEFAULT_EVERY } from '../schedule/schedule.ts';
import { type CreatedSearch, insertCheckedSearch, putSearch, recordCreated } from './save-search.ts';
import { type CheckedSearch, checkSearch, type WrittenSearch } from './search-definition.ts';
import { changeSearch } from './search-state.ts';
import { checkGoal, insertGoal, setGoal } from './topic-goal.ts';
import { checkLanguage, insertLanguage, setLanguage } from './topic-language.ts';
import { chooseService, chooseServiceKind } from './service-choice.ts';
import { describeMissingTools, findWithoutSources, refuseWithoutSources } from './tool-sources.ts';
import { createHash } from 'node:crypto';

/** A search of a new topic. Default slug: derived from the topic's. */
export type TopicSearch = Omit<WrittenSearch, 'slug'> & { slug?: string | undefined };

export type NewTopic = {
  name: string;
  /** Default: derived from the name. */
  slug?: string | undefined;
  /** Service of all its searches. */
  service?: string | undefined;
  /** What its news is about, in words. Default: everything is. */
  goal?: string | null | undefined;
  /** Tag of the language of its readers. Default: nothing is translated. */
  language?: string | null | undefined;
  searches: readonly TopicSearch[];
  /** Sources of its own; with them, no search is refused because its tools have none. */
  sources?: readonly NewTopicSource[];
};

type NamedTopic = Pick<Topic, 'slug' | 'name' | 'sample'> & {
  goal?: string | null;
  language?: string | null;
};
export type CreatedTopic = { topic: string; created: CreatedSearch[] };

/** Longest name of a topic. */
export const MAX_TOPIC_NAME = 200;

/**
 * Creates a topic with its searches; each runs immediately.
 * @throws InvalidInput with all problems, at `name`, `slug`, `service` or `searches[0].prompt`
 * @throws Refused `conflict` if the topic exists or existed, or the slug of a search is taken
 */
export async function createTopic(ctx: ActingContext, written: NewTopic): Promise<CreatedTopic> {
  const problems: Problem[] = [];
  const name = checkTopicName(written.name, problems);
  const slug = written.slug === undefined ? createSlug(name) : checkSlug(written.slug, 'slug', problems);
  // An invalid slug of the topic must not be reported again for each slug derived from it.
  const stem = problems.some(({ path }) => path === 'slug') ? 'topic' : slug;
  const checked = await checkSearches(ctx, stem, written.searches, problems);
  const goal = checkGoal(ctx, written.goal, problems);
  const language = checkLanguage(ctx, written.language, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const service = await chooseService(ctx, written.service);
  const { sources = [] } = written;
  if (sources.length === 0) await refuseWithoutSources(ctx, service.kind, checked, atSearch);
  return insertTopic(ctx, { slug, name, sample: false, goal, language }, checked, service, sources);
}

/**
 * Adds searches to an existing topic; each runs immediately.
 * @throws InvalidInput, Refused `not_found` for an unknown topic, `conflict` if a slug is taken
 */
export async function addSearches(
  ctx: ActingContext,
  named: string,
  { service: serviceName, searches }: Pick<NewTopic, 'service' | 'searches'>,
): Promise<CreatedTopic> {
  const { slug } = await assertTopicNotRemoved(ctx.db, named);
  const problems: Problem[] = [];
  const checked = await checkSearches(ctx, slug, searches, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const service = await chooseService(ctx, serviceName);
  await refuseWithoutSources(ctx, service.kind, checked, atSearch);
  return {
    topic: slug,
    created: await insertSearches(
      ctx,
      { slug, name: slug, sample: false },
      checked,
      service,
      async (tx, created) => {
        for (const search of created) await recordCreated(ctx, tx, search);
      },
    ),
  };
}

/** A topic at its slug. */
export type WrittenTopic = Omit<NewTopic, 'slug' | 'sources'>;

/**
 * Creates a topic with its searches, or replaces its name and searches, all or nothing: each search is created or replaced, and
 * those that are not among them are removed. The slug of a search that has none is derived from the topic and its place among them.
 * @throws as {@link createTopic} and `putSearch`
 */
export async function putTopic(
  ctx: ActingContext,
  slug: string,
  { name, service, goal, language, searches }: WrittenTopic,
  options: PutOptions,
): Promise<Put<string>> {
  requireSlug(slug);
  const named = nameSearches(slug, searches);
  const twice = named.findIndex(({ slug: own }, i) => named.slice(0, i).some((other) => other.slug === own));
  if (twice >= 0)
    throw new InvalidInput([
      { path: `${atSearch(twice)}slug`, given: named[twice]?.slug, expected: 'a slug of its own' },
    ]);
  return createOrReplace(
    {
      what: `the topic "${slug}"`,
      exists: async () => (await findTopic(ctx.db.pool, slug))?.archived_at === null,
      create: async () =>
        (await createTopic(ctx, { slug, name, service, goal, language, searches: named })).topic,
      replace: async () => {
        const problems: Problem[] = [];
        await checkSearches(ctx, slug, named, problems);
        const before = await findTopic(ctx.db.pool, slug);
        checkGoal(ctx, goal, problems, before?.goal);
        checkLanguage(ctx, language, problems, before?.language);
        if (problems.length > 0) throw new InvalidInput(problems);
        await changeTogether(ctx, async (own) => {
          await renameTopic(own, slug, { name });
          await setGoal(own, slug, goal ?? null);
          await setLanguage(own, slug, language ?? null);
          for (const search of named)
            await putSearch(own, search.slug, { ...search, topic: slug, service }, { onlyCreate: false });
          const topic = await findTopic(own.db.pool, slug);
          const kept = new Set(named.map((search) => search.slug));
          for (const { slug: old } of topic === null ? [] : await listSearches(own.db.pool, topic.id))
            if (!kept.has(old)) await changeSearch(own, old, 'remove');
        });
        return slug;
      },
    },
    options,
  );
}

/** `ferry-posts`, `ferry-ai`, `ferry-posts-2`: by place, so that the same request always means the same searches. */
function nameSearches(topic: string, searches: readonly TopicSearch[]): (TopicSearch & { slug: string })[] {
  const taken = new Set(searches.flatMap(({ slug }) => slug ?? []));
  return searches.map((search) => {
    const slug = search.slug ?? listSlugs(topic, search.operation).find((each) => !taken.has(each));
    if (slug === undefined) throw refuseManySearches(topic);
    taken.add(slug);
    return { ...search, slug };
  });
}

const atSearch = (index: number) => `searches[${index}].`;

/** Inserts a new topic. @throws Refused `conflict` if it exists or existed */
async function insertTopic(
  ctx: ActingContext,
  topic: NamedTopic,
  checked: readonly CheckedSearch[],
  service: Service,
  sources: readonly NewTopicSource[] = [],
): Promise<CreatedTopic> {
  const { slug, goal = null, language = null } = topic;
  await assertTopicIsNew(ctx, slug);
  const created = await insertSearches(ctx, topic, checked, service, async (tx, made) => {
    const own = await insertSources(ctx, tx, made, sources);
    const [first] = made;
    if (first !== undefined) {
      await insertGoal(ctx, tx, first.search.topic_id, goal);
      await insertLanguage(tx, first.search.topic_id, language);
    }
    await recordAudit(tx, ctx, {
      action: 'topic.created',
      subject: slug,
      changes: recordCreation({
        name: topic.name,
        searches: made.map(({ search }) => search.slug),
        sources: own,
        ...(goal === null ? {} : { goal }),
        ...(language === null ? {} : { language }),
      }),
    });
  });
  return { topic: slug, created };
}

/** @throws Refused `conflict` if the topic exists or existed */
async function assertTopicIsNew({ db }: Context, slug: string): Promise<void> {
  const before = await findTopic(db.pool, slug);
  if (before?.slug === slug) throw createTaken({ ...before, kind: 'topic' });
}

/** @returns their addresses as they may be recorded */
async function insertSources(
  ctx: ActingContext,
  tx: Transaction,
  [first]: readonly CreatedSearch[],
  sources: readonly NewTopicSource[],
): Promise<string[]> {
  if (first === undefined) return [];
  const added = { now: await readTime(tx, ctx.clock), by: nameActor(ctx.actor) };
  for (const source of sources) await insertTopicSource(tx, first.search.topic_id, source, added);
  return sources.map(({ kind, address }) => (kind === 'service' ? address : maskUrl(address)));
}

async function insertSearches(
  ctx: ActingContext,
  topic: NamedTopic,
  checked: readonly CheckedSearch[],
  service: Service,
  record: (tx: Transaction, created: readonly CreatedSearch[]) => Promise<void>,
): Promise<CreatedSearch[]> {
  const created = await inTransaction(ctx.db, async (tx) => {
    const made: CreatedSearch[] = [];
    for (const search of checked)
      made.push(await insertCheckedSearch(ctx, tx, { checked: search, topic, service }));
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
  if (searches.length === 0) problems.push({ path: 'searches', given: [], expected: 'at least one search' });
  const taken = new Set<string>();
  const checked: CheckedSearch[] = [];
  for (const [i, written] of searches.entries()) {
    const slug = written.slug ?? (await findFreeSlug(ctx, topic, written.operation ?? 'microblog', taken));
    taken.add(slug);
    const nameOf = (path: string) => atSearch(i) + path;
    checked.push(...collectProblems(problems, () => [checkNamed({ ...written, slug }, nameOf)], []));
  }
  return checked;
}

const MAX_SLUG_VARIANTS = 100;

/** `ferry-posts`, `ferry-ai`, `ferry-posts-2`: the first slug that no search has or had, under its current or a former name. */
async function findFreeSlug(
  ctx: Context,
  topic: string,
  operation: string,
  taken: ReadonlySet<string>,
): Promise<string> {
  for (const slug of listSlugs(topic, operation))
    if (!taken.has(slug) && (await findSearch(ctx.db.pool, slug)) === null) return slug;
  throw refuseManySearches(topic);
}

/** The slugs that a search of a topic may get, in their order. */
export function listSlugs(topic: string, operation: string | undefined): string[] {
  const stem = `${topic.slice(0, 54)}-${operation === 'ai' ? 'ai' : 'posts'}`;
  return Array.from({ length: MAX_SLUG_VARIANTS }, (_, n) => (n === 0 ? stem : `${stem}-${n + 1}`));
}

function refuseManySearches(topic: string): Refused {
  return new Refused(
    'conflict',
    `the topic "${topic}" has too many searches to derive slugs; give each search a slug`,
  );
}

/** @returns the name on one line; adds a problem if it is invalid */
function checkTopicName(name: string, problems: Problem[]): string {
  const text = cleanLine(name.toWellFormed());
  if (text === '' || text.length > MAX_TOPIC_NAME)
    problems.push({ path: 'name', given: name, expected: `a name of 1 to ${MAX_TOPIC_NAME} characters` });
  return text;
}

export type WatchRequest = {
  text: string;
  name?: string | undefined;
  slug?: string | undefined;
  service?: string | undefined;
  goal?: string | undefined;
  postsEvery?: string | undefined;
  aiEvery?: string | undefined;
  sample?: boolean | undefined;
};

/** What watching a text creates. */
export type WatchPlan = NamedTopic & {
  searches: CheckedSearch[];
  service: ServiceKind;
  leftOut: MissingTool[];
};

/**
 * Watches a text: creates a topic with a microblog search and an AI search over all tools; both run immediately. One of them is left
 * out if none of its tools has a source, unless its interval is given.
 * @returns `leftOut`: what that search lacks
 * @throws InvalidInput also if no tool has a source; Refused `conflict` if the topic exists or existed
 */
export async function watchTopic(
  ctx: ActingContext,
  watch: WatchRequest,
): Promise<CreatedTopic & { leftOut: MissingTool[] }> {
  const { searches, leftOut, ...topic } = await planWatch(ctx, watch);
  const service = await chooseService(ctx, topic.service);
  return { ...(await insertTopic(ctx, topic, searches, service)), leftOut };
}

/** What {@link watchTopic} would create; saves nothing. @throws as that */
export async function planWatch(ctx: Context, watch: WatchRequest): Promise<WatchPlan> {
  const { text: prompt } = watch;
  const slug = watch.slug === undefined ? createSlug(prompt) : requireSlug(watch.slug);
  const every = { microblog: watch.postsEvery, ai: watch.aiEvery };
  const checked: CheckedSearch[] = [];
  for (const operation of ['microblog', 'ai'] as const) {
    const search = { slug: await findFreeSlug(ctx, slug, operation, new Set()), operation, prompt };
    const member = operation === 'ai' ? 'ai_every' : 'posts_every';
    const names: Record<string, string> = { prompt: 'text', every: member };
    const written = { ...search, every: every[operation] ?? DEFAULT_EVERY[operation] };
    checked.push(checkNamed(written, (path) => names[path] ?? path));
  }
  const service = await chooseServiceKind(ctx, watch.service);
  const without = await findWithoutSources(ctx, service, checked);
  const leftOut = [...without.values()].flat();
  const lacking = describeMissingTools(leftOut);
  if (without.size === checked.length)
    throw new InvalidInput([
      { path: 'service', given: service, expected: `a service with a source: ${lacking}` },
    ]);
  const problems = checked.flatMap(({ operation }, i): Problem[] => {
    const interval = every[operation];
    if (!without.has(i) || interval === undefined) return [];
    const expected = `no interval, because that search has no source: ${lacking}`;
    return [{ path: operation === 'ai' ? 'ai_every' : 'posts_every', given: interval, expected }];
  });
  const goal = checkGoal(ctx, watch.goal, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  await assertTopicIsNew(ctx, slug);
  const { name = prompt, sample = false } = watch;
  return {
    slug,
    name,
    sample,
    goal,
    searches: checked.filter((_search, i) => !without.has(i)),
    service,
    leftOut,
  };
}

/** Reports problems of a search under the members that the person wrote. @param nameOf by the member of the search */
function checkNamed(search: WrittenSearch, nameOf: (path: string) => string): CheckedSearch {
  try {
    return checkSearch(search);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.problems.map((problem) => ({ ...problem, path: nameOf(problem.path) })));
  }
}

/** The fact that the sample has no finished past yet. */
export const SAMPLE_PAST = 'sample_past';

/** Creates the sample topic in an empty sandbox, once: if removed, it is not created again. Its past is pending then. */
export async function createSampleTopic(
  ctx: Context,
  sample: { slug: string; name: string; prompt: string },
): Promise<CreatedTopic | null> {
  if ((await listTopics(ctx.db.pool)).length > 0) return null;
  const now = ctx.clock.now();
  const isFirst = await inTransaction(
    ctx.db,
    async (tx) =>
      (await insertFact(tx, 'sample_topic', sample.slug, now)) &&
      (await insertFact(tx, SAMPLE_PAST, 'pending', now)),
  );
  if (!isFirst) return null;
  return watchTopic(
    { ...ctx, actor: { kind: 'program', name: 'sample topic' } },
    {
      text: sample.prompt,
      name: sample.name,
      slug: sample.slug,
      postsEvery: '1m',
      aiEvery: '5m',
      sample: true,
    },
  );
}

/** What a topic is called; omitted members keep their values. */
type TopicNames = { name?: string | undefined; slug?: string | undefined };

/**
 * Renames a topic. Its former slug leads to it until another topic takes it; the slugs of its searches stay.
 * @returns its slug
 * @throws InvalidInput at `name` or `slug`, Refused `not_found`, or `conflict` if the topic was removed or the slug is taken
 */
export async function renameTopic(ctx: ActingContext, slug: string, names: TopicNames): Promise<string> {
  const problems: Problem[] = [];
  const name = names.name === undefined ? undefined : checkTopicName(names.name, problems);
  if (names.slug !== undefined) checkSlug(names.slug, 'slug', problems);
  if (name === undefined && names.slug === undefined)
    problems.push({ path: 'name', given: undefined, expected: 'a new name, a new slug, or both' });
  if (problems.length > 0) throw new InvalidInput(problems);
  await assertTopicNotRemoved(ctx.db, slug);
  return inTransaction(ctx.db, async (tx) => {
    const before = await lockTopic(tx, slug);
    if (before === null) throw createNotFound('topic', slug);
    const after = { id: before.id, name: name ?? before.name, slug: names.slug ?? before.slug };
    const changes = diffFields(pickNames(before), pickNames(after));
    if (Object.keys(changes).length === 0) return before.slug;
    if (after.slug !== before.slug) {
      const owner = await findTopic(tx, after.slug);
      if (owner?.slug === after.slug) throw createTaken({ ...owner, kind: 'topic' });
    }
    await updateTopicNames(tx, after);
    if (after.slug !== before.slug) {
      const now = await readTime(tx, ctx.clock);
      await releaseFormerSlug(tx, { kind: 'topic', slug: after.slug });
      await keepFormerSlug(tx, { kind: 'topic', id: before.id, slug: before.slug, now });
    }
    await recordAudit(tx, ctx, { action: 'topic.updated', subject: before.slug, changes });
    return after.slug;
  });
}

const pickNames = ({ name, slug }: Pick<Topic, 'name' | 'slug'>) => ({ name, slug });

/**
 * Derives a slug from text: its letters without accents, and digits (`Ärger im Büro` is `arger-im-buro`), or a hash if it
 * has none that a slug may contain.
 */
export function createSlug(text: string): string {
  const plain = splitFoldedWords(text)
    .join('-')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
  return plain.length >= 2 ? plain : `topic-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}
