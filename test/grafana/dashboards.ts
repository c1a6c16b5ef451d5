/** The dashboards as Grafana reads them, with those of their members that a test looks at. */
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const FOLDER = new URL('../../grafana/dashboards/', import.meta.url);

const source = z.strictObject({ type: z.string(), uid: z.string() });

const target = z.looseObject({
  refId: z.string(),
  datasource: source,
  format: z.enum(['table', 'time_series']),
  rawQuery: z.literal(true),
  rawSql: z.string().min(1),
});

const panel = z.looseObject({
  id: z.int(),
  type: z.string(),
  title: z.string(),
  description: z.string(),
  datasource: source,
  gridPos: z.strictObject({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  fieldConfig: z.looseObject({
    defaults: z.looseObject({
      unit: z.string(),
      custom: z.looseObject({ spanNulls: z.boolean().optional() }).optional(),
    }),
    overrides: z.array(
      z.looseObject({
        matcher: z.strictObject({ id: z.literal('byName'), options: z.string() }),
        properties: z.array(z.strictObject({ id: z.string(), value: z.unknown() })),
      }),
    ),
  }),
  targets: z.array(target).min(1),
});

const variable = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('query'),
    name: z.string(),
    datasource: source,
    query: z.string(),
    multi: z.boolean(),
    includeAll: z.boolean(),
  }),
  z.looseObject({
    type: z.literal('interval'),
    name: z.string(),
    query: z.string(),
    current: z.looseObject({ value: z.string() }),
  }),
]);

const dashboard = z.looseObject({
  id: z.never().optional(),
  uid: z.string(),
  title: z.string(),
  description: z.string(),
  schemaVersion: z.int(),
  timezone: z.literal('browser'),
  tags: z.array(z.string()),
  links: z.array(
    z.looseObject({ includeVars: z.boolean(), keepTime: z.boolean(), tags: z.array(z.string()) }),
  ),
  annotations: z.strictObject({
    list: z.array(z.looseObject({ name: z.string(), datasource: source, target })),
  }),
  templating: z.strictObject({ list: z.array(variable) }),
  panels: z.array(panel),
});

export type Panel = z.infer<typeof panel>;
export type Dashboard = z.infer<typeof dashboard>;
/** A dashboard with its file's name, and its text for what no member names. */
export type DashboardFile = { file: string; text: string; dashboard: Dashboard };

/** All of grafana/dashboards. @throws ZodError where one is not what Grafana reads */
export function readDashboards(): DashboardFile[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      return { file, text, dashboard: dashboard.parse(JSON.parse(text)) };
    });
}

/** Every statement of a dashboard but those of its variables, with what it is called. */
export function statementsOf({ panels, annotations }: Dashboard): { of: string; sql: string }[] {
  return [
    ...panels.flatMap(({ title, targets }) => targets.map(({ rawSql }) => ({ of: title, sql: rawSql }))),
    ...annotations.list.map(({ name, target: { rawSql } }) => ({ of: `annotation ${name}`, sql: rawSql })),
  ];
}
