/** Adds, replaces and removes the names that a topic lists. All answers of the topic are then read again. */
import {
  findNameProblem,
  keyOfName,
  MAX_NAME_FORMS,
  MAX_TOPIC_NAMES,
  readCitedDomain,
} from '../../model/answer-names.ts';
import type { NameSide } from '../../model/closed-lists.ts';
import { createNotFound, InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { findNearestName } from '../../lib/nearest-name.ts';
import { cleanLine } from '../../lib/text.ts';
import { diffFields, nameActor, recordAudit } from '../../store/access/audit-entries.ts';
import { inTransaction, readTime, type Transaction } from '../../store/db/database.ts';
import {
  deleteTopicName,
  listTopicNames,
  markAnswersUnread,
  type NewTopicName,
  putTopicName,
  type TopicNameRow,
} from '../../store/topics/topic-names.ts';
import { lockTopic, type Topic } from '../../store/topics/topics.ts';
import type { ActingContext } from '../context.ts';
import { assertTopicNotRemoved } from '../topics/find-by-slug.ts';

/** A name as it is written; omitted members are empty, and the side is `own`. */
export type WrittenName = {
  name: string;
  side?: NameSide | undefined;
  aliases?: readonly string[] | undefined;
  domains?: readonly string[] | undefined;
};

/**
 * Adds a name, or replaces the name with the same words.
 * @throws InvalidInput with all problems, at `name`, `aliases[0]` or `domains[0]`
 * @throws Refused `not_found`, `conflict` for a removed topic or too many names
 */
export async function setName(ctx: ActingContext, slug: string, written: WrittenName): Promise<TopicNameRow> {
  const name = readWrittenName(written);
  await assertTopicNotRemoved(ctx.db, slug);
  return changeNames(ctx, slug, (tx, topic, rows) => storeName(ctx, tx, { topic, rows, name }));
}

/** @returns what was removed @throws Refused `not_found` */
export async function removeName(ctx: ActingContext, slug: string, name: string): Promise<TopicNameRow> {
  await assertTopicNotRemoved(ctx.db, slug);
  return changeNames(ctx, slug, async (tx, topic, rows) => {
    const row = findName(rows, name);
    if (row === undefined) throw createUnknownName(topic.slug, name, rows);
    await deleteTopicName(tx, row.id);
    return { result: row, changes: { [row.name]: { before: describeName(row) } } };
  });
}

/** Changes the names of a topic under the lock of its row, with an entry of the audit log unless nothing changes. */
async function changeNames<T>(
  ctx: ActingContext,
  slug: string,
  change: (
    tx: Transaction,
    topic: Topic,
    rows: readonly TopicNameRow[],
  ) => Promise<{ result: T; changes: Parameters<typeof recordAudit>[2]['changes'] }>,
): Promise<T> {
  return inTransaction(ctx.db, async (tx) => {
    const topic = await lockTopic(tx, slug);
    if (topic === null) throw createNotFound('topic', slug);
    const { result, changes = {} } = await change(tx, topic, await listTopicNames(tx, topic.id));
    if (Object.keys(changes).length > 0) {
      await markAnswersUnread(tx, topic.id);
      await recordAudit(tx, ctx, { action: 'topic.names_changed', subject: topic.slug, changes });
    }
    return result;
  });
}

async function storeName(
  ctx: ActingContext,
  tx: Transaction,
  { topic, rows, name }: { topic: Topic; rows: readonly TopicNameRow[]; name: NewTopicName },
) {
  const before = findName(rows, name.name);
  const problems = findTaken(
    name,
    rows.filter((row) => row !== before),
  );
  if (problems.length > 0) throw new InvalidInput(problems);
  if (before === undefined && rows.length >= MAX_TOPIC_NAMES)
    throw new Refused('conflict', `a topic has at most ${MAX_TOPIC_NAMES} names`);
  const isSame = before !== undefined && Object.keys(diffFields(pickName(before), name)).length === 0;
  if (!isSame)
    await putTopicName(tx, topic.id, name, {
      now: await readTime(tx, ctx.clock),
      by: nameActor(ctx.actor),
    });
  const after = findName(await listTopicNames(tx, topic.id), name.name);
  if (after === undefined) throw new Error('the name was not stored');
  const changes = isSame
    ? {}
    : {
        [name.name]: {
          ...(before === undefined ? {} : { before: describeName(before) }),
          after: describeName(name),
        },
      };
  return { result: after, changes };
}

const pickName = ({ name, side, aliases, domains }: NewTopicName): NewTopicName => ({
  name,
  side,
  aliases,
  domains,
});

/** `rival; Harbour Lines, HL; harbour.example`. */
function describeName({ name, side, aliases, domains }: NewTopicName): string {
  return [side, [name, ...aliases].join(', '), ...(domains.length === 0 ? [] : [domains.join(', ')])].join(
    '; ',
  );
}

function findName<Row extends Pick<TopicNameRow, 'name'>>(
  rows: readonly Row[],
  name: string,
): Row | undefined {
  const key = keyOfName(name);
  return rows.find((row) => keyOfName(row.name) === key);
}

function createUnknownName(topic: string, name: string, rows: readonly TopicNameRow[]): Refused {
  const near = findNearestName(
    name,
    rows.map((row) => row.name),
  );
  const meant = near === undefined ? `to list them: strandline names list ${topic}` : `did you mean ${near}?`;
  return new Refused('not_found', `the topic "${topic}" does not list the name "${name}"; ${meant}`, {
    missing: 'name',
  });
}

/** Reads a name as it is stored. @throws InvalidInput with all problems */
export function readWrittenName({
  name: given,
  side = 'own',
  aliases = [],
  domains = [],
}: WrittenName): NewTopicName {
  const problems: Problem[] = [];
  const readForm = (form: string, path: string) => {
    const text = cleanLine(form.toWellFormed());
    const expected = findNameProblem(text);
    if (expected !== null) problems.push({ path, given: form.slice(0, 200), expected });
    return text;
  };
  const name = readForm(given, 'name');
  const keys = new Set([keyOfName(name)]);
  const others = aliases
    .map((alias, i) => readForm(alias, `aliases[${i}]`))
    .filter((alias) => !keys.has(keyOfName(alias)) && keys.add(keyOfName(alias)));
  const cited = domains.map((domain, i) => {
    const read = readCitedDomain(domain.trim());
    if (read === null)
      problems.push({
        path: `domains[${i}]`,
        given: domain.slice(0, 200),
        expected: 'a domain, such as harbour.example',
      });
    return read ?? '';
  });
  for (const [path, list] of [
    ['aliases', others],
    ['domains', cited],
  ] as const)
    if (list.length > MAX_NAME_FORMS)
      problems.push({ path, given: list.length, expected: `at most ${MAX_NAME_FORMS}` });
  if (problems.length > 0) throw new InvalidInput(problems);
  return { name, side, aliases: others, domains: [...new Set(cited)] };
}

/** Forms and domains that other names of the topic have. */
export function findTaken(
  name: NewTopicName,
  others: readonly Pick<NewTopicName, 'name' | 'aliases' | 'domains'>[],
): Problem[] {
  const forms = new Map(
    others.flatMap((other) =>
      [other.name, ...other.aliases].map((form) => [keyOfName(form), other.name] as const),
    ),
  );
  const domains = new Map(
    others.flatMap((other) => other.domains.map((domain) => [domain, other.name] as const)),
  );
  const find = (path: string, given: string, owner: string | undefined): Problem[] =>
    owner === undefined ? [] : [{ path, given, expected: `not what belongs to the name "${owner}"` }];
  return [
    ...find('name', name.name, forms.get(keyOfName(name.name))),
    ...name.aliases.flatMap((alias, i) => find(`aliases[${i}]`, alias, forms.get(keyOfName(alias)))),
    ...name.domains.flatMap((domain, i) => find(`domains[${i}]`, domain, domains.get(domain))),
  ];
}
