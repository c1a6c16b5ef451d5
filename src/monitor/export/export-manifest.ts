/** The manifest of an export: columns and provenance of each file. */

import type { DatabaseKind } from '../../model/database-kind.ts';
import { tryParseJson } from '../../lib/json-values.ts';
import type { ColumnKind, ExportView } from '../../store/export/export-columns.ts';
import { type Resource, RESOURCE_SOURCES } from '../../store/export/export-resources.ts';
import type { Provenance } from '../../store/export/provenance.ts';
import type { ExportFilter } from '../../store/export/export-select.ts';
import { VERSION } from '../../config/version.ts';
import type { Encoding } from './export-rows.ts';
import { z } from 'zod';

/** A file that was written. */
export type WrittenFile = {
  resource: Resource;
  /** Its name, relative to the manifest. */
  path: string;
  view: ExportView;
  rows: number;
  bytes: number;
  sha256: string;
};

/** How a manifest calls the data of a database. */
export const nameData = (kind: DatabaseKind) => (kind === 'sandbox' ? 'simulated' : 'real');

/**
 * Composes a Frictionless Data Package (specification 1) that describes each file; the member `strandline` has the provenance. CSV
 * files are tabular data resources; NDJSON and Parquet are data resources with a schema.
 * @param of.cursor from when on the next export continues
 */
export function composeManifest(of: {
  /** Kind of the database. */
  kind: DatabaseKind;
  cursor: Date;
  written: readonly WrittenFile[];
  searches: readonly Provenance[];
  filter: ExportFilter;
  encoding: Encoding;
  now: Date;
}): Record<string, unknown> {
  const { kind, cursor, written, searches, filter, encoding, now } = of;
  const created = now.toISOString();
  const names = written.map(({ resource }) => resource);
  return {
    profile: encoding.format === 'csv' ? 'tabular-data-package' : 'data-package',
    name: 'strandline-export',
    title: `Results from strandline: ${names.join(', ')}`,
    created,
    sources: listSources(searches),
    resources: written.map((file) => describeFile(file, filter, encoding)),
    strandline: {
      version: VERSION,
      cursor: cursor.toISOString(),
      data: nameData(kind),
      range: {
        since: filter.since?.toISOString() ?? null,
        until: filter.until?.toISOString() ?? null,
        first_seen_since: filter.firstSeenSince?.toISOString() ?? null,
      },
      filter: {
        searches: filter.searches ?? null,
        topic: filter.topic ?? null,
        query: filter.query ?? null,
      },
      encoding: {
        format: encoding.format,
        ...(encoding.format === 'csv' ? { raw: encoding.raw === true, bom: encoding.bom === true } : {}),
      },
      service_kinds: [...new Set(searches.map(({ service_kind }) => service_kind))].sort(),
      searches,
    },
  };
}

const SERVICE_TITLES = {
  sandbox: 'simulated posts and links',
  own: 'public sources, queried by strandline',
  hosted: 'a hosted search service',
} as const;

function listSources(searches: readonly Provenance[]): { title: string }[] {
  const titles = searches.map(({ service, service_kind }) => `${service}: ${SERVICE_TITLES[service_kind]}`);
  return [...new Set(titles)].sort().map((title) => ({ title }));
}

const MEDIA_TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;

function describeFile(
  { resource, path, view, rows, bytes, sha256 }: WrittenFile,
  { firstSeenSince }: ExportFilter,
  encoding: Encoding,
) {
  const { format } = encoding;
  const { key, isPrimary, firstSeen } = RESOURCE_SOURCES[resource];
  return {
    profile: format === 'csv' ? 'tabular-data-resource' : 'data-resource',
    name: resource,
    title: view.description.split(/\.(?: |$)/, 1)[0],
    description: view.description,
    path,
    format,
    mediatype: MEDIA_TYPES[format],
    ...(format === 'parquet' ? {} : { encoding: 'utf-8' }),
    bytes,
    hash: `sha256:${sha256}`,
    rows,
    ...(format === 'csv' ? { dialect: CSV_DIALECT } : {}),
    schema: {
      fields: view.columns.map(({ name, kind, description }) => ({
        name,
        ...FIELD_TYPES[kind],
        ...(description === '' ? {} : { description }),
      })),
      missingValues: format === 'csv' ? [''] : [],
      ...(isPrimary === false ? {} : { primaryKey: key }),
    },
    strandline: { contents: firstSeenSince === undefined || firstSeen === undefined ? 'all' : 'new' },
  };
}

const CSV_DIALECT = {
  delimiter: ',',
  lineTerminator: '\r\n',
  quoteChar: '"',
  doubleQuote: true,
  header: true,
};

type FieldType = Readonly<{ type: string; format?: string }>;
const TEXT_FIELD: FieldType = { type: 'string' };
const LIST_FIELD: FieldType = { type: 'array' };

/** Types of Table Schema. A JSON value may be an object or a list. */
const FIELD_TYPES: Readonly<Record<ColumnKind, FieldType>> = {
  id: TEXT_FIELD,
  text: TEXT_FIELD,
  counter: { type: 'integer' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  // The default format has no fractions of a second.
  datetime: { type: 'datetime', format: '%Y-%m-%dT%H:%M:%S.%f%z' },
  texts: LIST_FIELD,
  ids: LIST_FIELD,
  integers: LIST_FIELD,
  json: { type: 'any' },
};

const manifest = z.looseObject({
  resources: z.array(z.looseObject({ path: z.string() })),
  strandline: z.looseObject({ cursor: z.iso.datetime(), data: z.enum(['real', 'simulated']) }),
});
/** Members of the manifest of an earlier export that an export reads. */
type Manifest = z.infer<typeof manifest>;

/** @returns undefined for what is no manifest of an export that can be continued */
export function parseManifest(text: string): Manifest | undefined {
  return manifest.safeParse(tryParseJson(text)).data;
}
