/** Names in files: a list inside of each topic, of names that its answers are read for. */
import { z } from 'zod';
import { keyOfName } from '../../model/answer-names.ts';
import { InvalidInput, type Problem } from '../../model/errors.ts';
import { isPlain } from '../../lib/json-values.ts';
import { listAllTopicNames, type NewTopicName } from '../../store/topics/topic-names.ts';
import { lockTopic } from '../../store/topics/topics.ts';
import { findTaken, readWrittenName, removeName, setName } from '../names/manage-names.ts';
import { declareResource, describeGiven, type Entry, type Existing, readMembers } from './resource.ts';

type NameSettings = { name: string; rival: boolean; aliases: string[]; domains: string[] };

const members = z
  .object({
    name: z.string(),
    rival: z.boolean(),
    aliases: z.array(z.string()),
    domains: z.array(z.string()),
  })
  .partial();

const toSettings = ({ name, side, aliases, domains }: NewTopicName): NameSettings => ({
  name,
  rival: side === 'rival',
  aliases,
  domains,
});

const toWritten = ({ rival, ...settings }: NameSettings) => ({
  ...settings,
  side: rival ? ('rival' as const) : ('own' as const),
});

export const nameResource = declareResource<NameSettings>({
  name: 'name',
  member: 'names',
  of: 'topic',
  table: 'topic_names',
  isKeyedByParent: true,
  list: async ({ db: { pool } }, at) => {
    const rows = (await listAllTopicNames(pool)).map(
      (row): Existing<NameSettings> => ({
        id: row.id,
        key: keyOfName(row.name),
        parent: row.topic,
        settings: toSettings(row),
      }),
    );
    return at === undefined ? rows : rows.filter(({ key, parent }) => key === at.key && parent === at.parent);
  },
  listEntries,
  read: async (entry) => {
    if (typeof entry === 'string') return toSettings(readWrittenName({ name: entry }));
    const { members: given, problems } = readMembers(members, entry);
    if (problems.length > 0) throw new InvalidInput(problems);
    const { name = '', rival = false, aliases, domains } = given;
    return toSettings(readWrittenName({ name, side: rival ? 'rival' : 'own', aliases, domains }));
  },
  toInput: ({ settings: { name, rival, aliases, domains } }) => {
    const more = {
      ...(rival ? { rival } : {}),
      ...(aliases.length > 0 ? { aliases } : {}),
      ...(domains.length > 0 ? { domains } : {}),
    };
    return Object.keys(more).length === 0 ? name : { name, ...more };
  },
  lock: (tx, { parent }) => lockTopic(tx, parent ?? ''),
  put: async (ctx, { parent, settings }) => {
    await setName(ctx, parent ?? '', toWritten(settings));
    return {};
  },
  remove: (ctx, { parent, settings }) => removeName(ctx, parent ?? '', settings.name),
});

/** Two names of a topic have no form and no domain in common. */
function listEntries(
  value: unknown,
  { parent, path }: { parent: string | null; path: string },
  problems: Problem[],
): Entry[] {
  if (!Array.isArray(value)) {
    problems.push({ path, given: describeGiven(value), expected: 'a list of names' });
    return [];
  }
  const before: NewTopicName[] = [];
  return value.flatMap((entry: unknown, i): Entry[] => {
    const at = `${path}[${i}]`;
    const name: unknown = isPlain(entry) ? entry['name'] : entry;
    if (typeof name !== 'string' || keyOfName(name) === '') {
      problems.push({ path: at, given: describeGiven(entry), expected: 'a name, or an object with a name' });
      return [];
    }
    const whole = tryReading(entry, name);
    const taken = whole === null ? [] : findTaken(whole, before);
    problems.push(...taken.map((problem) => ({ ...problem, path: `${at}.${problem.path}` })));
    if (whole !== null) before.push(whole);
    return taken.length > 0 ? [] : [{ key: keyOfName(name), parent, value: entry, path: at }];
  });
}

/** Null if it is not valid, which reading it reports. */
function tryReading(entry: unknown, name: string): NewTopicName | null {
  const { success, data } = members.safeParse(isPlain(entry) ? entry : { name });
  if (!success) return null;
  try {
    return readWrittenName({ name, aliases: data.aliases, domains: data.domains });
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
