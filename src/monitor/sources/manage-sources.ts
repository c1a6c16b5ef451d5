/** Adds, tests, switches and removes the sources of a topic. */
import { InvalidInput, Refused, RunError } from '../../model/errors.ts';
import { isOpml, type ListedFeed, listLines, listOpmlFeeds } from '../../lib/opml.ts';
import { cleanText } from '../../lib/text.ts';
import { MAX_TOPIC_SOURCES } from '../../model/topic-sources.ts';
import { ALL_SOURCES, type CheckedSource, takesWords } from '../../protocol/own-sources.ts';
import { nameActor, recordAudit } from '../../store/access/audit-entries.ts';
import { inTransaction, readTime, type Transaction } from '../../store/db/database.ts';
import {
  deleteTopicSource,
  insertTopicSource,
  listTopicSources,
  type NewTopicSource,
  saveCheckedSource,
  switchTopicSource,
  type TopicSourceRow,
} from '../../store/topics/topic-sources.ts';
import { lockTopic } from '../../store/topics/topics.ts';
import { checkAddress } from '../client/source-check.ts';
import type { ActingContext, Context } from '../context.ts';
import { assertTopicNotRemoved, requireTopic } from '../topics/find-by-slug.ts';
import { listSources, showSource, type TopicSource } from './list-sources.ts';
import {
  classifyChecked,
  describeChecked,
  EXPECTED_ADDRESS,
  readSourceAddress,
  showSourceAddress,
} from './source-words.ts';

/** Result of adding: some addresses of a list may exist already, or be refused. */
export type AddedSources = {
  added: TopicSource[];
  /** Addresses that the topic had already. */
  present: string[];
  refused: { address: string; reason: string }[];
  /** What the address is, and what keeps it from being read. */
  notes: string[];
};

/**
 * Adds an address, and recognizes what it is: a feed, a page with a feed, a page without one, or a search.
 * @param given.untested adds it without reading it
 * @throws InvalidInput at `address` if it is none or cannot be read; Refused `not_found`, `conflict`
 */
export async function addSource(
  ctx: ActingContext,
  slug: string,
  input: { address: string; all?: boolean | undefined; untested?: boolean | undefined },
  signal?: AbortSignal,
): Promise<AddedSources> {
  await assertTopicNotRemoved(ctx.db, slug);
  const { all = false, untested = false } = input;
  const { source, says } = await recognizeSource(ctx, input.address, {
    untested,
    signal,
    hint: ' To add it all the same: untested.',
  });
  const added = await addRows(ctx, slug, [{ ...source, takes_all: all }]);
  return { ...added, notes: [...says, ...(await listSources(ctx, slug)).notes] };
}

/**
 * What an address is.
 * @param options.hint what else can be done if it cannot be read
 * @throws InvalidInput at `address` if it is none or cannot be read
 */
export async function recognizeSource(
  ctx: Context,
  typedAddress: string,
  { untested, signal, hint = '' }: { untested: boolean; signal?: AbortSignal | undefined; hint?: string },
): Promise<{ source: Omit<NewTopicSource, 'takes_all'>; says: string[] }> {
  const address = readSourceAddress(typedAddress);
  const shown = cleanText(typedAddress, 100);
  if (address === undefined)
    throw new InvalidInput([{ path: 'address', given: shown, expected: EXPECTED_ADDRESS }]);
  const guessed = takesWords(address) ? 'search' : 'feed';
  if (untested) return { source: { kind: guessed, address, title: '', is_on: true }, says: [] };
  const checked = await readNow(ctx, address, signal);
  const words = describeChecked(address, checked);
  if (checked.found === 'none')
    throw new InvalidInput([
      {
        path: 'address',
        given: shown,
        expected: `an address that can be read; this ${words}${hint}`,
      },
    ]);
  const kind = classifyChecked(address, checked);
  const source = { kind, address, title: checked.title, is_on: true };
  return { source, says: [`${showSourceAddress(kind, address)}: ${words}`] };
}

/**
 * Adds the feeds of an OPML document, or addresses one a line, without reading them: the next run does.
 * @throws Refused `not_found`, `conflict`; InvalidInput at `opml` if there is no address in it
 */
export async function importSources(
  ctx: ActingContext,
  slug: string,
  { opml, all = false }: { opml: string; all?: boolean | undefined },
): Promise<AddedSources> {
  await assertTopicNotRemoved(ctx.db, slug);
  const listed: ListedFeed[] = isOpml(opml)
    ? listOpmlFeeds(opml)
    : listLines(opml).map((address) => ({ address, title: '' }));
  if (listed.length === 0)
    throw new InvalidInput([
      {
        path: 'opml',
        given: cleanText(opml, 60),
        expected: 'an OPML document with feeds (xmlUrl), or addresses, one a line',
      },
    ]);
  const refused: AddedSources['refused'] = [];
  const sources = new Map<string, NewTopicSource>();
  for (const { address: text, title } of listed) {
    const address = readSourceAddress(text);
    if (address === undefined)
      refused.push({ address: cleanText(text, 200), reason: `expected ${EXPECTED_ADDRESS}` });
    else {
      const kind = takesWords(address) ? 'search' : 'feed';
      sources.set(address, { kind, address, title: cleanText(title, 200), takes_all: all, is_on: true });
    }
  }
  const added = await addRows(ctx, slug, [...sources.values()]);
  const { notes } = await listSources(ctx, slug);
  return { ...added, refused: [...refused, ...added.refused], notes };
}

async function addRows(
  ctx: ActingContext,
  slug: string,
  sources: readonly NewTopicSource[],
): Promise<AddedSources> {
  return changeSources(ctx, slug, async (tx, { id, now, rows }) => {
    const done: AddedSources = { added: [], present: [], refused: [], notes: [] };
    let places = MAX_TOPIC_SOURCES - rows.filter(({ kind }) => kind !== 'service').length;
    const known = new Set(rows.map(({ address }) => address));
    const changes: string[] = [];
    for (const source of sources) {
      const shown = showSourceAddress(source.kind, source.address);
      if (known.has(source.address)) done.present.push(shown);
      else if (places <= 0)
        done.refused.push({ address: shown, reason: `a topic has at most ${MAX_TOPIC_SOURCES} sources` });
      else {
        const row = await insertTopicSource(tx, id, source, { now, by: nameActor(ctx.actor) });
        if (row === null) throw new Error('the topic is locked, so nobody else adds to it');
        places -= 1;
        done.added.push(showSource(row));
        changes.push(shown);
      }
    }
    return { result: done, changes: { added: { after: changes } }, isChanged: changes.length > 0 };
  });
}

/** The result of a test: `a feed ("Harbor news"): 40 entries, ...`. */
export type TestedSource = CheckedSource & { says: string };

/**
 * Reads a source of a topic now.
 * @param key its number, or the name of a source of the service, of which is said what is known
 */
export async function testSource(
  ctx: Context,
  slug: string,
  key: string,
  signal?: AbortSignal,
): Promise<TestedSource> {
  const topic = await requireTopic(ctx.db.pool, slug);
  const row = (await listTopicSources(ctx.db.pool, topic.id)).find((each) => isNamed(each, key));
  if (row === undefined || row.kind === 'service')
    return describeServiceSource(await findServiceSource(ctx, slug, key));
  const checked = await readNow(ctx, row.address, signal);
  const at = ctx.clock.now();
  await saveCheckedSource(ctx.db, row.id, checked, at);
  return {
    ...checked,
    feed: checked.feed === null ? null : showSourceAddress('feed', checked.feed),
    says: describeChecked(row.address, checked),
  };
}

function describeServiceSource({ title, on, problem, needs }: TopicSource): TestedSource {
  const state =
    needs === null ? (problem ?? (on ? 'on' : 'switched off for this topic')) : `off: set ${needs}`;
  return {
    found: 'none',
    feed: null,
    title,
    entries: 0,
    newest: null,
    problem: needs === null ? problem : `needs ${needs}`,
    says: `${title}: ${state}. To test all sources of the service: strandline doctor`,
  };
}

/** Switches a source on or off. @param key its number, or the name of a source of the service, or `all` of them */
export async function switchSource(
  ctx: ActingContext,
  slug: string,
  key: string,
  isOn: boolean,
): Promise<TopicSource> {
  const service = /^\d+$/.test(key) ? null : await findServiceSource(ctx, slug, key);
  return changeSources(ctx, slug, async (tx, { id, now, rows }) => {
    const row = rows.find((each) => isNamed(each, key));
    const shown = service?.id ?? (row && showSourceAddress(row.kind, row.address)) ?? key;
    const change = { [isOn ? 'switched_on' : 'switched_off']: { after: [shown] } };
    if (service === null) {
      if (row === undefined) throw createUnknown(slug, key);
      await switchTopicSource(tx, row.id, isOn);
      return { result: showSource({ ...row, is_on: isOn }), changes: change, isChanged: row.is_on !== isOn };
    }
    if (isOn && key !== ALL_SOURCES && rows.some((each) => isNamed(each, ALL_SOURCES)))
      throw new Refused(
        'conflict',
        `all sources of the service are switched off for the topic "${slug}"; first: strandline sources on ${slug} ${ALL_SOURCES}`,
      );
    if (isOn && row !== undefined) await deleteTopicSource(tx, row.id);
    if (!isOn && row === undefined) {
      const source = { kind: 'service', address: key, title: '', takes_all: false, is_on: false } as const;
      await insertTopicSource(tx, id, source, { now, by: nameActor(ctx.actor) });
    }
    return { result: { ...service, on: isOn }, changes: change, isChanged: isOn === (row !== undefined) };
  });
}

/** Removes a source that was added. @throws Refused `not_found`; `conflict` for a source of the service */
export async function removeSource(ctx: ActingContext, slug: string, key: string): Promise<TopicSource> {
  return changeSources(ctx, slug, async (tx, { rows }) => {
    const row = rows.find((each) => isNamed(each, key));
    if (row === undefined || row.kind === 'service') {
      if (/^\d+$/.test(key)) throw createUnknown(slug, key);
      throw new Refused(
        'conflict',
        `"${key}" belongs to the service and can be switched off: strandline sources off ${slug} ${key}`,
      );
    }
    await deleteTopicSource(tx, row.id);
    const shown = showSource(row);
    return { result: shown, changes: { removed: { after: [shown.address] } }, isChanged: true };
  });
}

type Changing = { id: TopicSourceRow['id']; now: Date; rows: readonly TopicSourceRow[] };
type Changed<T> = { result: T; changes: Record<string, { after: readonly string[] }>; isChanged: boolean };

/** Changes sources under the lock of their topic, with an entry of the audit log. */
export async function changeSources<T>(
  ctx: ActingContext,
  slug: string,
  change: (tx: Transaction, changing: Changing) => Promise<Changed<T>>,
): Promise<T> {
  return inTransaction(ctx.db, async (tx) => {
    const { id, slug: subject } = await requireTopic(tx, slug);
    await lockTopic(tx, slug);
    const [rows, now] = [await listTopicSources(tx, id), await readTime(tx, ctx.clock)];
    const { result, changes, isChanged } = await change(tx, { id, now, rows });
    if (isChanged) await recordAudit(tx, ctx, { action: 'topic.sources_changed', subject, changes });
    return result;
  });
}

async function findServiceSource(ctx: Context, slug: string, key: string): Promise<TopicSource> {
  const shown = (await listSources(ctx, slug)).sources.filter(({ kind }) => kind === 'service');
  if (key === ALL_SOURCES && shown[0] !== undefined)
    return {
      ...shown[0],
      id: ALL_SOURCES,
      title: 'All sources of the service',
      address: '',
      problem: null,
      needs: null,
    };
  const match = shown.find(({ id }) => id === key);
  if (match !== undefined) return match;
  if (/^\d+$/.test(key)) throw createUnknown(slug, key);
  const names = [ALL_SOURCES, ...shown.map(({ id }) => id)].join(', ');
  throw new InvalidInput([
    { path: 'source', given: key, expected: `the number of a source of the topic, or one of ${names}` },
  ]);
}

function isNamed({ id, kind, address }: TopicSourceRow, key: string): boolean {
  return kind === 'service' ? address === key : String(id) === key;
}

function createUnknown(slug: string, key: string): Refused {
  return new Refused(
    'not_found',
    `the topic "${slug}" has no source ${key}; to list them: strandline sources list ${slug}`,
    { missing: 'source' },
  );
}

/** Reads an address now, through the program's own service. @throws Refused `unavailable` */
async function readNow(ctx: Context, address: string, signal?: AbortSignal): Promise<CheckedSource> {
  try {
    const { baseUrl, key } = await ctx.endpoint('own');
    return await checkAddress({ baseUrl, key }, address, signal);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    throw new Refused('unavailable', `the own search service cannot read it: ${error.message}`, {
      cause: error,
    });
  }
}
