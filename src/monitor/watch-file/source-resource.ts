/** Sources in files: a list inside of each topic. What a file adds is read by the next run, not before. */
import { z } from 'zod';
import { HIDDEN, InvalidInput, type Problem } from '../../model/errors.ts';
import { isPlain } from '../../lib/json-values.ts';
import { MAX_TOPIC_SOURCES, type TopicSourceKind } from '../../model/topic-sources.ts';
import { ALL_SOURCES, takesWords } from '../../protocol/own-sources.ts';
import { nameActor } from '../../store/access/audit-entries.ts';
import {
  deleteTopicSource,
  insertTopicSource,
  listAllTopicSources,
  updateTopicSource,
} from '../../store/topics/topic-sources.ts';
import { lockTopic } from '../../store/topics/topics.ts';
import { Refused } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { changeSources } from '../sources/manage-sources.ts';
import { EXPECTED_ADDRESS, readSourceAddress, showSourceAddress } from '../sources/source-words.ts';
import {
  declareResource,
  describeGiven,
  type Entry,
  type Existing,
  type Place,
  readMembers,
} from './resource.ts';

/** `page`: the text of the page is watched, although it names a feed. */
type SourceSettings = { all: boolean; on: boolean; page: boolean };

const members = z
  .object({ address: z.string(), service: z.string(), all: z.boolean(), on: z.boolean(), page: z.boolean() })
  .partial();

/** Before the name of a source of the service, in keys; no address begins so. */
const OF_SERVICE = 'service ';

/** By its key: an address, or the name of a source of the service. */
const split = (key: string) =>
  key.startsWith(OF_SERVICE)
    ? { isOfService: true, address: key.slice(OF_SERVICE.length) }
    : { isOfService: false, address: key };

const show = (key: string) => {
  const { isOfService, address } = split(key);
  return isOfService ? key : showSourceAddress('feed', address);
};

function chooseKind(key: string, { page }: SourceSettings): TopicSourceKind {
  const { isOfService, address } = split(key);
  if (isOfService) return 'service';
  return takesWords(address) ? 'search' : page ? 'page' : 'feed';
}

export const sourceResource = declareResource<SourceSettings>({
  name: 'source',
  member: 'sources',
  of: 'topic',
  table: 'topic_sources',
  isKeyedByParent: true,
  list: async ({ db: { pool } }, at) => {
    const rows = (await listAllTopicSources(pool)).map(
      ({ id, topic, kind, address, takes_all, is_on }): Existing<SourceSettings> => ({
        id,
        key: kind === 'service' ? OF_SERVICE + address : address,
        parent: topic,
        settings: { all: takes_all, on: is_on, page: kind === 'page' },
      }),
    );
    return at === undefined ? rows : rows.filter(({ key, parent }) => key === at.key && parent === at.parent);
  },
  listEntries,
  read: async (entry, { ctx, key, before }) => {
    const { members: given, problems } = readMembers(members, typeof entry === 'string' ? {} : entry);
    const { all = false, on, page = false } = given;
    const { isOfService, address } = split(key);
    if (isOfService && before === undefined) problems.push(...(await findUnknownService(ctx, address)));
    if (isOfService && on !== false)
      problems.push({
        path: 'on',
        given: on,
        expected: 'false: the service uses its sources unless they are switched off',
      });
    for (const name of isOfService ? (['all', 'page'] as const) : [])
      if (given[name] !== undefined)
        problems.push({ path: name, given: given[name], expected: 'nothing: only of an address' });
    if (problems.length > 0) throw new InvalidInput(problems);
    return { all, on: on ?? true, page };
  },
  toInput: ({ key, settings: { all, on, page } }) => {
    const { isOfService, address } = split(key);
    if (isOfService) return { service: address, on: false };
    const more = { ...(all ? { all } : {}), ...(on ? {} : { on }), ...(page ? { page } : {}) };
    return Object.keys(more).length === 0 ? show(key) : { address: show(key), ...more };
  },
  showKey: ({ key }) => show(key),
  lock: (tx, { parent }) => lockTopic(tx, parent ?? ''),
  put: async (ctx, { key, parent, settings }, before) => {
    const source = {
      kind: chooseKind(key, settings),
      address: split(key).address,
      title: '',
      takes_all: settings.all,
      is_on: settings.on,
    };
    await changeSources(ctx, parent ?? '', async (tx, { id, now, rows }) => {
      if (before !== undefined) await updateTopicSource(tx, before.id, source);
      else if (rows.length >= MAX_TOPIC_SOURCES)
        throw new Refused('conflict', `a topic has at most ${MAX_TOPIC_SOURCES} sources`);
      else if ((await insertTopicSource(tx, id, source, { now, by: nameActor(ctx.actor) })) === null)
        throw new Refused('changed', `the topic has the source ${show(key)} by now`);
      const changes = { [before === undefined ? 'added' : 'changed']: { after: [show(key)] } };
      return { result: undefined, changes, isChanged: true };
    });
    return {};
  },
  remove: (ctx, { id, key, parent }) =>
    changeSources(ctx, parent ?? '', async (tx) => {
      await deleteTopicSource(tx, id);
      return { result: undefined, changes: { removed: { after: [show(key)] } }, isChanged: true };
    }),
});

async function findUnknownService(ctx: Context, name: string): Promise<Problem[]> {
  const known = [ALL_SOURCES, ...(await ctx.serviceSources()).map((source) => source.name)];
  if (known.includes(name)) return [];
  return [{ path: 'service', given: name, expected: `a source of the service: ${known.join(', ')}` }];
}

/** The stored address of each entry: an address whose secret is hidden in the file is that of the source that is shown so. */
function listEntries(
  value: unknown,
  { parent, path, existing }: { parent: string | null; path: string; existing: readonly Place[] },
  problems: Problem[],
): Entry[] {
  if (!Array.isArray(value)) {
    problems.push({ path, given: describeGiven(value), expected: 'a list of addresses' });
    return [];
  }
  const ofTopic = existing.filter((each) => each.parent === parent).map(({ key }) => key);
  const used = new Set<string>();
  return value.flatMap((entry: unknown, i): Entry[] => {
    const at = `${path}[${i}]`;
    const { address, service } = isPlain(entry) ? entry : { address: entry, service: undefined };
    const key =
      typeof service === 'string' && address === undefined
        ? OF_SERVICE + service
        : typeof address === 'string'
          ? findAddress(address, ofTopic, used)
          : undefined;
    if (key === undefined)
      problems.push({
        path: at,
        given: typeof address === 'string' ? shorten(address) : describeGiven(entry),
        expected: EXPECTED,
      });
    else if (used.has(key))
      problems.push({ path: at, given: show(key), expected: 'a source that is not in the list yet' });
    else {
      used.add(key);
      return [{ key, parent, value: entry, path: at }];
    }
    return [];
  });
}

const EXPECTED = `${EXPECTED_ADDRESS}; hidden parts written out, or { env: NAME }; or { service: NAME, on: false }`;
const MASK = '***';

/** Undefined if it is no address, or has a hidden part and no source of the topic is shown so. */
function findAddress(
  given: string,
  ofTopic: readonly string[],
  used: ReadonlySet<string>,
): string | undefined {
  const address = readSourceAddress(given);
  const exact = ofTopic.find((key) => key === address);
  const isMasked = given.includes(MASK);
  return exact ?? (isMasked ? ofTopic.find((key) => !used.has(key) && show(key) === given) : address);
}

/** An invalid address may contain a password. */
const shorten = (address: string) => (/[@?]/.test(address) ? HIDDEN : address.slice(0, 100));
