/** Alerts query existing metrics, the docs name every one of them, and each alert says what to do. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from './sources.ts';

const read = (...parts: string[]) => readFile(path.join(REPOSITORY, ...parts), 'utf8');

const rules = z
  .object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            alert: z.string().regex(/^Strandline[A-Z]\w+$/),
            expr: z.string(),
            labels: z.object({ severity: z.enum(['page', 'warn']) }),
            annotations: z.object({ summary: z.string().min(10) }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(await read('grafana/prometheus/strandline.rules.yml')))
  .groups.flatMap((group) => group.rules);

const FOLDER = 'src/api';

/** Every metric named in the program. */
async function told(): Promise<Set<string>> {
  const names = await readdir(path.join(REPOSITORY, FOLDER));
  const texts = await Promise.all(
    names.filter((name) => name.endsWith('.ts')).map((name) => read(FOLDER, name)),
  );
  return namesIn(texts.join('\n'), /'(strandline_[a-z_]+)'/g);
}

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, name = '']) => name));
}

test('metrics and their documentation match', async () => {
  const written = namesIn(await read('docs/reference/metrics.md'), /`(strandline_[a-z_]+)`/g);
  expect([...written].toSorted()).toEqual([...(await told())].toSorted());
});

test.each(rules.map((rule) => [rule.alert, rule] as const))(
  '%s queries existing metrics, and operations.md says what to do',
  async (alert, { expr }) => {
    const names = await told();
    const asked = [...namesIn(expr, /\b(strandline_[a-z_]+)/g)].map((name) =>
      names.has(name) ? name : name.replace(/_bucket$/, ''),
    );
    for (const name of asked) expect(names, alert).toContain(name);
    if (asked.length === 0) expect(expr).toMatch(/\bup\{/);
    expect(await read('docs/reference/operations.md')).toContain(`| \`${alert.replace('Strandline', '')}\``);
  },
);
