/** What a dashboard must satisfy before anybody opens it: checked in the files alone. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Panel, readDashboards, statementsOf } from './dashboards.ts';
import { variablesIn } from './fill-in.ts';

const SOURCE = { type: 'grafana-postgresql-datasource', uid: '${data}' };
const files = readDashboards();

const overlap = (a: Panel['gridPos'], b: Panel['gridPos']) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

test('there are six, each with its own uid', () => {
  expect(files.map(({ dashboard }) => dashboard.uid).sort()).toEqual([
    'strandline-completions',
    'strandline-links',
    'strandline-overview',
    'strandline-posts',
    'strandline-runs',
    'strandline-search',
  ]);
  expect(new Set(files.map(({ dashboard }) => dashboard.title)).size).toBe(files.length);
});

describe.each(files)('$file', ({ text, dashboard }) => {
  const { panels, templating, annotations, links } = dashboard;

  test('requires Grafana 11 and has no instance ID', () => {
    expect(dashboard.schemaVersion).toBe(39);
    expect(text).not.toMatch(/"pluginVersion"|"__inputs"|"iteration"/);
  });

  test('panels have unique IDs and do not overlap on 24 columns', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.length).toBeLessThanOrEqual(13);
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      expect(Math.min(gridPos.w, gridPos.h), title).toBeGreaterThan(2);
    }
    for (const [i, one] of panels.entries())
      for (const other of panels.slice(i + 1))
        expect(overlap(one.gridPos, other.gridPos), `${one.title} and ${other.title}`).toBe(false);
  });

  test('every panel has a title, a description and a unit', () => {
    for (const { title, description, fieldConfig } of panels) {
      expect(title).not.toBe('');
      expect(description.length, title).toBeGreaterThan(30);
      expect(fieldConfig.defaults.unit, title).not.toBe('');
    }
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });

  test('lines do not span gaps', () => {
    const lines = panels.filter(({ type }) => type === 'timeseries' || type === 'state-timeline');
    for (const { title, fieldConfig } of lines)
      expect(fieldConfig.defaults.custom?.spanNulls, title).toBe(false);
  });

  test('panels use only the data source that is chosen: at first that of the real data', () => {
    const asked = [
      ...panels.flatMap(({ datasource, targets }) => [datasource, ...targets.map((one) => one.datasource)]),
      ...annotations.list.flatMap(({ datasource, target }) => [datasource, target.datasource]),
      ...templating.list.flatMap((one) => (one.type === 'query' ? [one.datasource] : [])),
    ];
    for (const one of asked) expect(one).toEqual(SOURCE);
    expect(templating.list[0]).toMatchObject({
      type: 'datasource',
      query: SOURCE.type,
      current: { value: 'strandline' },
    });
  });

  test('every variable is defined before it is used, and used', () => {
    const defined = templating.list.map(({ name }) => name);
    expect(defined).toEqual(['data', 'topic', 'search', 'interval']);
    const used = new Set(['data']);
    for (const { of, sql } of statementsOf(dashboard))
      for (const name of variablesIn(sql)) {
        expect(defined, of).toContain(name);
        used.add(name);
      }
    for (const [i, one] of templating.list.entries()) {
      const before = one.type === 'query' ? variablesIn(one.query) : [];
      expect(defined.slice(0, i), one.name).toEqual(expect.arrayContaining(before));
      for (const name of before) used.add(name);
    }
    expect([...used].sort()).toEqual([...defined].sort());
  });

  test('text from services is rendered as plain text', () => {
    expect(text).not.toMatch(/"(?:html|markdown)"|dangerously|"type": "text"/);
  });

  test('it links to the other dashboards with the current selection, and its links resolve', () => {
    expect(links).toMatchObject([{ includeVars: true, keepTime: true, tags: ['strandline'] }]);
    expect(dashboard.tags).toEqual(['strandline']);
    for (const [, uid] of text.matchAll(/"\/d\/([\w-]+)\//g))
      expect(files.map((one) => one.dashboard.uid)).toContain(uid);
  });
});

test.each([
  ['strandline.yml', 'strandline', ['READER_USER', 'READER_PASSWORD', 'READER_DATABASE']],
  [
    'sandbox.yml',
    'strandline-sandbox',
    ['SANDBOX_READER_USER', 'SANDBOX_READER_PASSWORD', 'SANDBOX_READER_DATABASE'],
  ],
])(
  'the provisioned data source %s can be chosen, connects as its reader, and contains no password',
  (file, uid, names) => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const source = read(`grafana/provisioning/datasources/${file}`);
    expect(source).toContain(`uid: ${uid}\n`);
    expect(/name: (.+)/.exec(source)?.[1]).toMatch(/^strandline/);
    expect(source).toContain(`type: ${SOURCE.type}\n`);
    const filled = [...source.matchAll(/: \$\{(STRANDLINE_\w+)\}$/gm)].map(([, name]) => String(name));
    expect(filled.toSorted()).toEqual(
      [...names, 'READER_HOST', 'READER_SSLMODE'].map((name) => `STRANDLINE_${name}`).toSorted(),
    );
    expect(source).toMatch(/secureJsonData:\n\s+password: \$\{STRANDLINE_(?:SANDBOX_)?READER_PASSWORD\}\n/);
    const compose = read('docker-compose.yml');
    for (const name of filled) expect(compose).toContain(name);
    const folder = /path: (\S+)/.exec(read('grafana/provisioning/dashboards/strandline.yml'))?.[1];
    expect(compose).toContain(`./grafana/dashboards:${folder}:ro`);
  },
);
