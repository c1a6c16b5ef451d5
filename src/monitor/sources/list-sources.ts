/** The sources of a topic: its own, and those of the service with what a key would add. */
import { findTool } from '../../model/enumerations.ts';
import type { TopicSourceKind } from '../../model/topic-sources.ts';
import { ALL_SOURCES } from '../../protocol/own-sources.ts';
import type { Database, Id } from '../../store/db/database.ts';
import { listSearches } from '../../store/topics/searches.ts';
import { listTopicSources, type TopicSourceRow } from '../../store/topics/topic-sources.ts';
import type { Context, ServiceSource } from '../context.ts';
import { assertTopicNotRemoved } from '../topics/find-by-slug.ts';
import { showSourceAddress } from './source-words.ts';

/** A source as it is shown. */
export type TopicSource = {
  /** A number, or the name of a source of the service. */
  id: string;
  kind: TopicSourceKind;
  /** Without secrets. Of a source of the service, the tool that it answers. */
  address: string;
  title: string;
  on: boolean;
  all: boolean;
  added_at: Date | null;
  added_by: string | null;
  read_at: Date | null;
  entries: number | null;
  newest_at: Date | null;
  failed_at: Date | null;
  problem: string | null;
  /** Variables that would turn on a source of the service: `BRAVE_API_KEY`. */
  needs: string | null;
};

export type TopicSources = {
  sources: TopicSource[];
  /** Reasons why sources of the topic are not read. */
  notes: string[];
};

type ListContext = Pick<Context, 'serviceSources'> & { db: Database };

/** @throws Refused `not_found`, or `conflict` if the topic was removed */
export async function listSources(ctx: ListContext, slug: string): Promise<TopicSources> {
  const topic = await assertTopicNotRemoved(ctx.db, slug);
  const [rows, service] = await Promise.all([listTopicSources(ctx.db.pool, topic.id), ctx.serviceSources()]);
  const own = rows.filter(({ kind }) => kind !== 'service').map(showSource);
  const off = new Set(rows.filter(({ kind }) => kind === 'service').map(({ address }) => address));
  return {
    sources: [...own, ...service.map((source) => showServiceSource(source, off))],
    notes: own.length === 0 ? [] : await findNotes(ctx.db, topic.id, slug),
  };
}

export function showSource(row: TopicSourceRow): TopicSource {
  const { id, kind, address, title, takes_all, is_on, added_at, added_by } = row;
  const { read_at, entries, newest_at, failed_at, problem } = row;
  return {
    id: String(id),
    kind,
    address: showSourceAddress(kind, address),
    title,
    on: is_on,
    all: takes_all,
    added_at,
    added_by,
    read_at,
    entries,
    newest_at,
    failed_at,
    problem,
    needs: null,
  };
}

function showServiceSource(
  { name, source, title, isOn, reason, lastSuccess, lastFailure }: ServiceSource,
  off: ReadonlySet<string>,
): TopicSource {
  return {
    id: name,
    kind: 'service',
    address: findTool(source),
    title,
    on: isOn && !off.has(name) && !off.has(ALL_SOURCES),
    all: false,
    added_at: null,
    added_by: null,
    read_at: lastSuccess ?? null,
    entries: null,
    newest_at: null,
    failed_at: lastFailure?.at ?? null,
    problem: lastFailure?.reason ?? (isOn ? null : (reason ?? null)),
    needs: isOn ? null : (/^needs (.+)$/.exec(reason ?? '')?.[1] ?? null),
  };
}

/** The own service reads them, for AI searches that ask Web Search. */
async function findNotes(db: Database, topicId: Id, slug: string): Promise<string[]> {
  const searches = await listSearches(db.pool, topicId);
  const own = searches.filter(({ service_kind }) => service_kind === 'own');
  const add = `strandline search add ${slug}-feeds --topic ${slug} --operation ai --service own --prompt "..."`;
  if (own.length === 0)
    return [
      `No search of this topic uses the own service, and a hosted service is never sent these addresses. Add one: ${add}`,
    ];
  if (own.some(({ operation, tools }) => operation === 'ai' && tools.includes('Web Search'))) return [];
  return [`Only AI searches that ask Web Search read these addresses. Add one: ${add}`];
}
