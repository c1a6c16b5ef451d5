/** The manifest of an export: columns and provenance of each file. */

import {
  type ColumnKind,
  type ExportColumn,
  type Resource,
  RESOURCE_SOURCES,
} from '../../store/export/export-columns.ts';
import type { Provenance } from '../../store/export/provenance.ts';
import type { ExportFilter } from '../../store/export/export-select.ts';
import { VERSION } from '../../config/version.ts';
import type { Encoding } from './export-rows.ts';

/** A file that was written. */
export type WrittenFile = {
  resource: Resource;
  /** Its name, relative to the manifest. */
  path: string;
  columns: readonly ExportColumn[];
  rows: number;
  bytes: number;
  sha256: string;
};

/**
 * Composes a Frictionless Data Package (specification 1) that describes each file; the member `strandline` has the provenance. CSV
 * files are tabular data resources; NDJSON and Parquet are data resources with a schema.
 */
export function composeManifest(of: {
  written: readonly WrittenFile[];
  searches: readonly Provenance[];
  filter: ExportFilter;
  encoding: Encoding;
  now: Date;
}): Record<string, unknown> {
  const { written, searches, filter, encoding, now } = of;
  const created = now.toISOString();
  return {
    profile: encoding.format === 'csv' ? 'tabular-data-package' : 'data-package',
    name: 'strandline-export',
    title: `Results from strandline: ${written.map(({ resource }) => resource).join(', ')}`,
    created,
    sources: listSources(searches),
    resources: written.map((file) => describeFile(file, encoding)),
    strandline: {
      version: VERSION,
      range: { since: filter.since?.toISOString() ?? null, until: filter.until?.toISOString() ?? null },
      filter: { searches: filter.searches ?? null, topic: filter.topic ?? null },
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
  { resource, path, columns, rows, bytes, sha256 }: WrittenFile,
  encoding: Encoding,
): unknown {
  const { format } = encoding;
  const { title, key } = RESOURCE_SOURCES[resource];
  return {
    profile: format === 'csv' ? 'tabular-data-resource' : 'data-resource',
    name: resource,
    title,
    path,
    format,
    mediatype: MEDIA_TYPES[format],
    ...(format === 'parquet' ? {} : { encoding: 'utf-8' }),
    bytes,
    hash: `sha256:${sha256}`,
    rows,
    ...(format === 'csv' ? { dialect: CSV_DIALECT } : {}),
    schema: {
      fields: columns.map(({ name, kind, description }) => ({
        name,
        type: FIELD_TYPES[kind],
        ...(description === '' ? {} : { description }),
      })),
      missingValues: format === 'csv' ? [''] : [],
      primaryKey: key,
    },
  };
}

const CSV_DIALECT = {
  delimiter: ',',
  lineTerminator: '\r\n',
  quoteChar: '"',
  doubleQuote: true,
  header: true,
};

/** Types of Table Schema. A JSON value may be an object or a list. */
const FIELD_TYPES: Readonly<Record<ColumnKind, string>> = {
  id: 'string',
  text: 'string',
  counter: 'integer',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  datetime: 'datetime',
  list: 'array',
  json: 'any',
};
