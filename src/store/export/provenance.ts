import type { Client } from 'pg';
import type { RunStatus, ServiceKind } from '../../model/closed-lists.ts';
import { ANALYTICS } from '../../model/database-kind.ts';
import { rowsOf, type Statement, statement, verbatim } from '../db/statement.ts';
import type { ExportFilter, SearchIds } from './export-select.ts';

/** A version of a search: its request from `since` until the next version. */
export type SearchVersion = {
  version: number;
  request_version: number;
  since: string;
  prompt: string;
  tools: string[];
  model: string;
  date_filter: string | null;
  streaming: boolean;
  extra: unknown;
  cron: string | null;
  every_seconds: number | null;
  tz: string;
};

/** Where rows of a search come from. Times in ISO 8601, UTC. */
export type Provenance = {
  slug: string;
  topic: string;
  service: string;
  service_kind: ServiceKind;
  operation: 'ai' | 'microblog';
  created_at: string;
  archived_at: string | null;
  versions: SearchVersion[];
  /** Runs due or requested in the range, by status. */
  runs: Partial<Record<RunStatus, number>>;
  coverage: Coverage;
};

type Coverage = {
  /** The time range. Default: from the creation of the search to the export. */
  from: string;
  until: string;
  /** Time in it observed by at least one run. */
  observed_seconds: number;
  /** Part of the range, 0 to 1; null if the range is empty, or if no run has coverage. */
  share: number | null;
};

/** Every requested search with its versions, runs by status, and coverage of the range. */
export async function readProvenance(
  client: Client,
  searchIds: SearchIds,
  range: Pick<ExportFilter, 'since' | 'until'>,
  now: Date,
): Promise<Provenance[]> {
  const which = searchIds === undefined ? statement`true` : statement`s.id = ANY (${searchIds}::bigint[])`;
  const rows = await rowsOf<{ search: Provenance }>(client, selectProvenance(which, range, now));
  return rows.map(({ search }) => search);
}

const iso = (time: string): Statement =>
  verbatim(`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** @param which a condition on searches `s` */
const selectProvenance = (
  which: Statement,
  { since = null, until = null }: { since?: Date | null | undefined; until?: Date | null | undefined },
  now: Date,
): Statement => statement`
SELECT json_build_object(
    'slug', s.slug, 'topic', s.topic, 'service', s.service, 'service_kind', s.service_kind,
    'operation', s.operation, 'created_at', ${iso('s.created_at')}, 'archived_at', ${iso('s.archived_at')},
    'versions', (
      SELECT json_agg(json_build_object(
          'version', v.version, 'request_version', v.request_version, 'since', ${iso('v.created_at')},
          'prompt', v.prompt, 'tools', v.tools, 'model', v.model, 'date_filter', v.date_filter,
          'streaming', v.streaming, 'extra', v.extra, 'cron', v.cron, 'every_seconds', v.every_seconds,
          'tz', v.tz) ORDER BY v.version)
        FROM strandline.search_versions v WHERE v.search_id = s.id),
    'runs', (
      SELECT coalesce(json_object_agg(r.status, r.n ORDER BY r.status), '{}') FROM (
        SELECT status, count(*) AS n FROM strandline.runs
         WHERE search_id = s.id AND coalesce(slot_at, created_at) >= coalesce(${since}::timestamptz, '-infinity')
           AND coalesce(slot_at, created_at) < coalesce(${until}::timestamptz, 'infinity') GROUP BY 1) r),
    'coverage', json_build_object(
      'from', ${iso('lower(range.asked)')}, 'until', ${iso('upper(range.asked)')},
      'observed_seconds', seen.seconds,
      'share', CASE WHEN seen.ever THEN
        seen.seconds / nullif(extract(epoch FROM upper(range.asked) - lower(range.asked)), 0) END)
  ) AS search
  FROM ${verbatim(ANALYTICS)}.searches s
  CROSS JOIN LATERAL (
    SELECT tstzrange(begins, greatest(begins, coalesce(${until}, ${now}::timestamptz))) AS asked
      FROM (SELECT coalesce(${since}::timestamptz, s.created_at)) AS given(begins)
  ) AS range
  CROSS JOIN LATERAL (
    SELECT count(*) > 0 AS ever, coalesce((
        SELECT sum(extract(epoch FROM upper(piece) - lower(piece)))
          FROM unnest(range_agg(tstzrange(c.observed_from, c.observed_until)) * tstzmultirange(range.asked)) AS piece
      ), 0)::float8 AS seconds
      FROM ${verbatim(ANALYTICS)}.coverage c WHERE c.search_id = s.id
  ) AS seen
 WHERE ${which}
 ORDER BY s.topic, s.slug, s.id`;
