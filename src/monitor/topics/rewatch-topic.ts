/** Starts the searches of a topic on another service, in a new topic: what services find is never mixed. */

import { createNotFound, Refused } from '../../model/errors.ts';
import { requireSlug } from '../../model/slug.ts';
import { recordAudit, recordCreation } from '../../store/access/audit-entries.ts';
import { inTransaction } from '../../store/db/database.ts';
import { findSearch, listSearches, type Search } from '../../store/topics/searches.ts';
import { lockSearch } from '../../store/topics/search-states.ts';
import { copyTopicNames } from '../../store/topics/topic-names.ts';
import { copyTopicSources } from '../../store/topics/topic-sources.ts';
import { findTopic, lockTopic, setSuccessor } from '../../store/topics/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { readSchedule } from '../schedule/cadence.ts';
import { stopSearch } from '../schedule/due-slots.ts';
import { assertTopicNotRemoved, requireTopic } from './find-by-slug.ts';
import { type CreatedSearch, insertCheckedSearch } from './save-search.ts';
import { type CheckedSearch, pickDefinition } from './search-definition.ts';
import { chooseService } from './service-choice.ts';
import { refuseWithoutSources } from './tool-sources.ts';

export type Rewatch = {
  /** Default: the service of new searches. */
  service?: string | undefined;
  /** Default: the first free of `slug-2`, `slug-3`. */
  slug?: string | undefined;
};

type RewatchedTopic = { topic: string; created: CreatedSearch[] };

/**
 * Creates a topic with the same searches (requests, schedules, labels) on another service; each runs immediately. Pauses the
 * topic, and links it to the new one.
 * @throws InvalidInput, Refused `not_found`, `conflict` if it was removed, has a successor, or already uses the service
 */
export async function rewatchTopic(
  ctx: ActingContext,
  named: string,
  { service: serviceName, slug: wanted }: Rewatch,
): Promise<RewatchedTopic> {
  const { slug } = await assertTopicNotRemoved(ctx.db, named);
  if (ctx.kind === 'sandbox')
    throw new Refused(
      'conflict',
      `the topic "${slug}" is simulated; to watch it for real, outside of the sandbox: strandline watch "its words"`,
    );
  const service = await chooseService(ctx, serviceName);
  const old = await requireTopic(ctx.db.pool, slug);
  const searches = await listSearches(ctx.db.pool, old.id);
  if (searches.length === 0)
    throw new Refused('conflict', `the topic "${slug}" has no searches to start again`);
  if (searches.every(({ service_id }) => service_id === service.id))
    throw new Refused('conflict', `the topic "${slug}" already uses the service ${service.name}`);
  const topic = { slug: wanted ?? (await findFreeSlug(ctx, slug, searches)), name: old.name, sample: false };
  const checked = searches.map((search) => copySearch(search, slug, requireSlug(topic.slug)));
  await refuseWithoutSources(ctx, service.kind, checked);
  const created = await inTransaction(ctx.db, async (tx) => {
    const locked = await lockTopic(tx, slug);
    if (locked === null) throw createNotFound('topic', slug);
    if (locked.successor !== null)
      throw new Refused('conflict', `the topic "${slug}" already continues as "${locked.successor}"`);
    if ((await findTopic(tx, topic.slug))?.slug === topic.slug)
      throw new Refused('conflict', `the topic "${topic.slug}" already exists; choose another slug`);
    const made: CreatedSearch[] = [];
    for (const search of checked)
      made.push(await insertCheckedSearch(ctx, tx, { checked: search, topic, service }));
    for (const { id } of searches) {
      const search = await lockSearch(tx, id);
      if (search?.archived_at !== null || search.state === 'paused') continue;
      await stopSearch(ctx, tx, search, { to: 'paused', reason: `continues in the topic ${topic.slug}` });
    }
    await copyTopicSources(tx, old.id, topic.slug);
    await copyTopicNames(tx, old.id, topic.slug);
    await setSuccessor(tx, old.id, topic.slug);
    const changes = recordCreation({
      successor: topic.slug,
      searches: made.map(({ search }) => search.slug),
    });
    await recordAudit(tx, ctx, { action: 'topic.rewatched', subject: slug, changes });
    return made;
  });
  await enqueueNewRuns(
    ctx,
    created.map(({ firstRunId }) => firstRunId),
    'first',
  );
  return { topic: topic.slug, created };
}

function copySearch(search: Search, from: string, to: string): CheckedSearch {
  const { operation, labels, sensitivity } = search;
  return {
    slug: moveSlug(search.slug, from, to),
    operation,
    labels,
    sensitivity,
    definition: pickDefinition(search),
    schedule: readSchedule(search),
  };
}

const MAX_SLUG = 63;

/** `ferry-posts` of `ferry` becomes `ferry-2-posts` in `ferry-2`. */
function moveSlug(search: string, from: string, to: string): string {
  const rest = search.startsWith(from) ? search.slice(from.length) : `-${search}`;
  return `${to}${rest}`.slice(0, MAX_SLUG);
}

const MAX_VARIANTS = 100;

async function findFreeSlug(ctx: Context, topic: string, searches: readonly Search[]): Promise<string> {
  const longest = Math.max(0, ...searches.map(({ slug }) => moveSlug(slug, topic, '').length));
  for (let n = 2; n < MAX_VARIANTS; n += 1) {
    const slug = `${topic.slice(0, MAX_SLUG - Math.min(longest, 32) - 3)}-${n}`;
    const slugs = searches.map((search) => moveSlug(search.slug, topic, slug));
    const taken = await Promise.all(slugs.map((name) => findSearch(ctx.db.pool, name)));
    if (taken.every((search) => search === null) && (await findTopic(ctx.db.pool, slug)) === null)
      return slug;
  }
  throw new Refused('conflict', `too many topics are named like "${topic}"; choose a slug`);
}
