/** Topics in files: their names. Searches and sources inside of them are resources of their own. */
import { z } from 'zod';
import { InvalidInput, Refused } from '../../model/errors.ts';
import { cleanLine } from '../../lib/text.ts';
import { recordAudit, recordCreation } from '../../store/access/audit-entries.ts';
import { inTransaction, readTime } from '../../store/db/database.ts';
import { releaseFormerSlug } from '../../store/topics/former-slugs.ts';
import { findTopic, insertTopic, listTopics, type Topic } from '../../store/topics/topics.ts';
import type { ActingContext } from '../context.ts';
import { createTaken } from '../topics/find-by-slug.ts';
import { MAX_TOPIC_NAME, renameTopic } from '../topics/save-topic.ts';
import { checkGoal, insertGoal, setGoal } from '../topics/topic-goal.ts';
import { checkLanguage, insertLanguage, setLanguage } from '../topics/topic-language.ts';
import { changeTopic } from '../topics/search-state.ts';
import { declareResource, type Existing, readMembers } from './resource.ts';

type TopicSettings = { name: string; goal: string | null; language: string | null };

const EXPECTED_NAME = `a name of 1 to ${MAX_TOPIC_NAME} characters`;
const members = z.object({
  name: z
    .string()
    .overwrite((name) => cleanLine(name.toWellFormed()))
    .min(1, EXPECTED_NAME)
    .max(MAX_TOPIC_NAME, EXPECTED_NAME),
  goal: z.string().nullable(),
  language: z.string().nullable(),
});

const toExisting = ({ id, slug, name, goal, language }: Topic): Existing<TopicSettings> => ({
  id,
  key: slug,
  parent: null,
  settings: { name, goal, language },
});

export const topicResource = declareResource<TopicSettings>({
  name: 'topic',
  member: 'topics',
  table: 'topics',
  list: async ({ db: { pool } }, at) => {
    if (at === undefined) return (await listTopics(pool)).map(toExisting);
    const topic = await findTopic(pool, at.key);
    return topic?.slug === at.key && topic.archived_at === null ? [toExisting(topic)] : [];
  },
  read: async (entry, { ctx, key, before, nested }) => {
    const { members: given, problems } = readMembers(members, entry, nested);
    const taken = before === undefined ? await describeTaken(ctx, key) : undefined;
    if (taken !== undefined) problems.push({ path: '', given: key, expected: taken });
    const goal = checkGoal(ctx, given.goal, problems, before?.settings.goal);
    const language = checkLanguage(ctx, given.language, problems, before?.settings.language);
    if (problems.length > 0) throw new InvalidInput(problems);
    return { name: given.name ?? key, goal, language };
  },
  toInput: ({ key, settings: { name, goal, language } }) => ({
    ...(name === key ? {} : { name }),
    ...(goal === null ? {} : { goal }),
    ...(language === null ? {} : { language }),
  }),
  put: async (ctx, { key, settings }, before) => {
    if (before === undefined) await createEmptyTopic(ctx, key, settings);
    else {
      await renameTopic(ctx, key, { name: settings.name });
      await setGoal(ctx, key, settings.goal);
      await setLanguage(ctx, key, settings.language);
    }
    return {};
  },
  remove: (ctx, { key }) => changeTopic(ctx, key, 'remove'),
});

/** Why no topic can be created with this slug. */
async function describeTaken({ db }: Pick<ActingContext, 'db'>, slug: string): Promise<string | undefined> {
  const topic = await findTopic(db.pool, slug);
  if (topic === null) return undefined;
  if (topic.slug === slug) return `a free slug: ${createTaken({ ...topic, kind: 'topic' }).message}`;
  return `its current slug ${topic.slug}; to rename it back: strandline topic rename ${topic.slug} --slug ${slug}`;
}

/** A topic whose searches follow. @throws Refused `changed` if it exists by now */
async function createEmptyTopic(
  ctx: ActingContext,
  slug: string,
  { name, goal, language }: TopicSettings,
): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const now = await readTime(tx, ctx.clock);
    if (!(await insertTopic(tx, { slug, name, now })))
      throw new Refused('changed', `the topic "${slug}" was created meanwhile`);
    await releaseFormerSlug(tx, { kind: 'topic', slug });
    const topic = await findTopic(tx, slug);
    if (topic !== null) {
      await insertGoal(ctx, tx, topic.id, goal);
      await insertLanguage(tx, topic.id, language);
    }
    await recordAudit(tx, ctx, {
      action: 'topic.created',
      subject: slug,
      changes: recordCreation({
        name,
        ...(goal === null ? {} : { goal }),
        ...(language === null ? {} : { language }),
      }),
    });
  });
}
