/** Searches in files, inside of their topics. */
import { z } from 'zod';
import { collectProblems, InvalidInput, type Problem } from '../../model/errors.ts';
import { findSearch, listSearches, type Search } from '../../store/topics/searches.ts';
import { lockSearch } from '../../store/topics/search-states.ts';
import type { Context } from '../context.ts';
import { writeEvery } from '../schedule/schedule.ts';
import { createTaken } from '../topics/find-by-slug.ts';
import { putSearch } from '../topics/save-search.ts';
import {
  type CheckedSearch,
  checkSearch,
  pickRequest,
  type WrittenSearch,
} from '../topics/search-definition.ts';
import { changeSearch } from '../topics/search-state.ts';
import { chooseServiceKind } from '../topics/service-choice.ts';
import { refuseWithoutSources } from '../topics/tool-sources.ts';
import { declareResource, type Existing, type Reading, readMembers } from './resource.ts';
import { isDeepStrictEqual } from 'node:util';

const members = z
  .object({
    operation: z.string(),
    prompt: z.string(),
    tools: z.array(z.string()),
    model: z.string(),
    date_filter: z.string(),
    streaming: z.boolean(),
    extra: z.record(z.string(), z.unknown()),
    cron: z.string(),
    tz: z.string(),
    every: z.string(),
    labels: z.array(z.string()),
    sensitivity: z.string(),
    service: z.string(),
  })
  .partial();

type Stored = Pick<Search, 'operation' | 'labels' | 'sensitivity' | 'service_kind'> &
  CheckedSearch['definition'];
export type SearchSettings = ReturnType<typeof toSettings>;

/** `every` or `cron` with `tz`; others are null. */
function toSettings({ operation, service_kind, labels, sensitivity, cron, tz, ...search }: Stored) {
  const every = writeEvery({ cron, tz, every_seconds: search.every_seconds, auto: search.auto }) ?? null;
  return {
    operation,
    service: service_kind,
    ...pickRequest(search),
    every,
    cron,
    tz: cron === null ? null : tz,
    labels,
    sensitivity,
  };
}

const REQUEST = new Set(['prompt', 'tools', 'model', 'date_filter', 'streaming', 'extra']);

const toExisting = (search: Search): Existing<SearchSettings> => ({
  id: search.id,
  key: search.slug,
  parent: search.topic,
  settings: toSettings(search),
});

export const searchResource = declareResource<SearchSettings>({
  name: 'search',
  member: 'searches',
  of: 'topic',
  table: 'searches',
  list: async ({ db: { pool } }, at) => {
    if (at === undefined) return (await listSearches(pool)).map(toExisting);
    const search = await findSearch(pool, at.key);
    return search?.slug === at.key && search.archived_at === null ? [toExisting(search)] : [];
  },
  read: readSearch,
  toInput: ({ key, settings }) => {
    const { prompt, operation, service, every, cron, tz, ...others } = settings;
    // In the sandbox there is no other service.
    const written = { prompt, operation, ...(service === 'sandbox' ? {} : { service }) };
    const usual: Record<string, unknown> = { ...pickUsual(key, operation), tz: 'UTC' };
    const differs = Object.entries({ tz, ...others }).filter(
      ([name, value]) => value !== null && !isDeepStrictEqual(value, usual[name]),
    );
    return { ...written, ...(cron === null ? { every } : { cron }), ...Object.fromEntries(differs) };
  },
  startsBaseline: (changed) => changed.some((name) => REQUEST.has(name)),
  lock: (tx, { id }) => lockSearch(tx, id),
  put: async (ctx, { key, parent, settings }, before) => {
    const { service, ...written } = settings;
    await putSearch(
      ctx,
      key,
      { ...toWritten(written), service, topic: parent ?? undefined },
      { onlyCreate: before === undefined },
    );
    return {};
  },
  remove: (ctx, { key }) => changeSearch(ctx, key, 'remove'),
});

/** The settings of a new search that names none. */
function pickUsual(slug: string, operation: string): Record<string, unknown> {
  return toCheckedSettings(checkSearch({ slug, operation, prompt: 'any', every: '1h' }), 'own');
}

function toCheckedSettings(
  { operation, labels, sensitivity, definition }: CheckedSearch,
  service: Search['service_kind'],
) {
  return toSettings({ operation, labels, sensitivity, service_kind: service, ...definition });
}

/** As a person writes it: a microblog search has no tools, time range or streaming. */
function toWritten({
  extra,
  every,
  cron,
  tz,
  ...settings
}: Omit<SearchSettings, 'service'>): Omit<WrittenSearch, 'slug'> {
  const { tools, date_filter, streaming, ...others } = settings;
  const ofAi = others.operation === 'ai' ? { tools, date_filter: date_filter ?? undefined, streaming } : {};
  return {
    ...others,
    ...ofAi,
    extra: JSON.stringify(extra),
    ...(cron === null ? { every: every ?? undefined } : { cron, tz: tz ?? undefined }),
  };
}

async function readSearch(entry: unknown, reading: Reading<SearchSettings>): Promise<SearchSettings> {
  const { ctx, key: slug, parent, before } = reading;
  const { members: given, problems, invalid } = readMembers(members, entry);
  const { service: named, extra, ...written } = given;
  const found: Problem[] = [];
  const checked = collectProblems(
    found,
    () => checkSearch({ ...written, slug, extra: extra === undefined ? undefined : JSON.stringify(extra) }),
    undefined,
  );
  // An invalid member was left out, so no further problem is reported for it.
  problems.push(...found.filter(({ path }) => !invalid.has(path.replace(/[.[].*$/s, ''))));
  if (before !== undefined && before.parent !== parent)
    problems.push({
      path: '',
      given: slug,
      expected: `another slug: "${slug}" is a search of the topic "${before.parent}"`,
    });
  const taken = before === undefined ? await describeTaken(ctx, slug) : undefined;
  if (taken !== undefined) problems.push({ path: '', given: slug, expected: taken });
  const service = await readService(reading, named).catch((error: unknown) => {
    if (!(error instanceof InvalidInput)) throw error;
    problems.push(...error.problems);
    return 'own' as const;
  });
  if (checked === undefined || problems.length > 0) throw new InvalidInput(problems);
  for (const [name, now, wanted] of [
    ['operation', before?.settings.operation, checked.operation],
    ['service', before?.settings.service, service],
  ] as const)
    if (now !== undefined && now !== wanted)
      problems.push({
        path: name,
        given: wanted,
        expected: `${now}: a search keeps its ${name}; give the new one another slug`,
      });
  if (problems.length > 0) throw new InvalidInput(problems);
  const settings = toCheckedSettings(checked, service);
  if (!isDeepStrictEqual(settings.tools, before?.settings.tools))
    await refuseWithoutSources(ctx, service, [checked]);
  return settings;
}

/** An existing search keeps its service: the default depends on the configuration, which may have changed since. */
async function readService(
  { ctx, before }: Reading<SearchSettings>,
  named: string | undefined,
): Promise<SearchSettings['service']> {
  if (before !== undefined && (named === undefined || named === before.settings.service))
    return before.settings.service;
  return chooseServiceKind(ctx, named);
}

/** Why no search can be created with this slug. */
async function describeTaken({ db }: Pick<Context, 'db'>, slug: string): Promise<string | undefined> {
  const search = await findSearch(db.pool, slug);
  if (search === null) return undefined;
  if (search.slug === slug) return `a free slug: ${createTaken({ ...search, kind: 'search' }).message}`;
  return `its current slug ${search.slug}; to rename it back: strandline search edit ${search.slug} --slug ${slug}`;
}
