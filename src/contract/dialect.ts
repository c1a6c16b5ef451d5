/**
 * A dialect is the way a service spells the specification's words. It is loaded once and then only looked
 * up; renaming itself is in wire.ts.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { InvalidInput } from '../errors.ts';
import { SOURCES, TOOLS, type Source, type Tool } from './enumerations.ts';
import { NAMED, NEUTRAL, NEUTRAL_MEMBERS, type Names } from './names.ts';

export type Dialect = Readonly<{
  /** `neutral`, `named`, or the path of the file it was read from. */
  name: string;
  servicePrefix: string;
  microblogPath: string;
  /** Wire name by neutral member, only where they differ; and the way back. */
  wireOf: ReadonlyMap<string, string>;
  neutralOf: ReadonlyMap<string, string>;
  labelOf: ReadonlyMap<Tool, string>;
  /** Tool by every label and short id that is read, in lower case. */
  toolOf: ReadonlyMap<string, Tool>;
  /** Flat group as it is written, by source; source by every name that is read. */
  groupOf: ReadonlyMap<Source, string>;
  sourceOf: ReadonlyMap<string, Source>;
}>;

/**
 * The dialect of a name: `neutral`, `named`, or the path of a JSON file of the same shape, whose missing
 * parts are neutral.
 * @throws InvalidInput naming the path when the file cannot be read or used.
 */
export function loadDialect(name: string): Dialect {
  if (name === 'neutral') return neutral;
  if (name === 'named') return named;
  return buildDialect(name, readNames(name));
}

/** The wire's name of a member. */
export function wireName(dialect: Dialect, member: string): string {
  return dialect.wireOf.get(member) ?? member;
}

/**
 * Where the two operations are answered, beginning with a slash: `/search/ai/search` and
 * `/search/ai/search/links/microblog` in the neutral dialect. `prefix` replaces the dialect's own
 * (`SEARCH_API_PREFIX`); an empty one means none.
 */
export function paths(dialect: Dialect, prefix = dialect.servicePrefix): { ai: string; microblog: string } {
  const at = (path: string) => `/${[...segments(prefix), ...segments(path)].join('/')}`;
  return { ai: at('ai/search'), microblog: at(dialect.microblogPath) };
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function buildDialect(name: string, names: Names): Dialect {
  const renamed = Object.entries(names.members).filter(([neutralName, wire]) => neutralName !== wire);
  return {
    name,
    servicePrefix: names.service_prefix,
    microblogPath: names.microblog_path,
    wireOf: new Map(renamed),
    neutralOf: new Map(renamed.map(([neutralName, wire]) => [wire, neutralName])),
    labelOf: new Map(TOOLS.map((tool) => [tool, names.tools[tool][0]])),
    // The dialect's own spellings come last, so that they win over a neutral word that means another tool.
    toolOf: new Map(
      [NEUTRAL, names].flatMap(({ tools }) =>
        TOOLS.flatMap((tool) => tools[tool].map((label) => [label.toLowerCase(), tool] as const)),
      ),
    ),
    groupOf: new Map(SOURCES.map((source) => [source, names.later_flat_members[source][0]])),
    sourceOf: new Map(
      [NEUTRAL, names].flatMap((table) =>
        SOURCES.flatMap((source) =>
          table.later_flat_members[source].map((group) => [group, source] as const),
        ),
      ),
    ),
  };
}

const segment = z.string().regex(/^[\w.~/-]+$/, 'a path such as v1/search');
const wireWord = z.string().min(1).max(100).refine(isHarmless, 'a name that is not special to JavaScript');
const label = z.string().min(1).max(100);

const dialectFile = z
  .object({
    service_prefix: segment,
    microblog_path: segment,
    tools: z.partialRecord(z.enum(TOOLS), z.union([label.transform((l) => [l]), z.array(label).min(1)])),
    members: z.partialRecord(z.enum(NEUTRAL_MEMBERS), wireWord),
    later_flat_members: z.partialRecord(z.enum(SOURCES), wireWord),
  })
  .partial();

function readNames(path: string): Names {
  const parsed = dialectFile.safeParse(readJson(path));
  if (!parsed.success) {
    throw new InvalidInput(
      parsed.error.issues.map((issue) => ({
        path: [path, ...issue.path.map(String)].join(': '),
        given: undefined,
        expected: issue.message,
      })),
    );
  }
  const file = parsed.data;
  const tools = { ...NEUTRAL.tools };
  for (const tool of TOOLS) {
    const [written, shortId] = file.tools?.[tool] ?? [];
    if (written !== undefined) tools[tool] = [written, shortId ?? written];
  }
  const groups = { ...NEUTRAL.later_flat_members };
  for (const source of SOURCES) {
    const written = file.later_flat_members?.[source];
    if (written !== undefined) groups[source] = [written];
  }
  const names: Names = {
    service_prefix: file.service_prefix ?? NEUTRAL.service_prefix,
    microblog_path: file.microblog_path ?? NEUTRAL.microblog_path,
    tools,
    members: file.members ?? {},
    later_flat_members: groups,
  };
  refuseDoubles(path, names);
  return names;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    const expected = 'neutral, named, or the path of a readable JSON file with the names of a dialect';
    throw new InvalidInput([{ path: 'SEARCH_API_NAMES', given: path, expected }]);
  }
}

/** Two members under one wire name could not be told apart on the way back. */
function refuseDoubles(path: string, names: Names): void {
  const wire = NEUTRAL_MEMBERS.map((member) => names.members[member] ?? member);
  const double = wire.find((name, i) => wire.indexOf(name) !== i);
  if (double === undefined) return;
  throw new InvalidInput([
    { path: `${path}: members`, given: double, expected: 'a wire name of its own for each member' },
  ]);
}

function isHarmless(name: string): boolean {
  return !(name in {});
}

const neutral = buildDialect('neutral', NEUTRAL);
const named = buildDialect('named', NAMED);
