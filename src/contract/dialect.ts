/**
 * A dialect is the way a service spells the specification's words. It is loaded once and then only looked
 * up; renaming itself is in wire.ts.
 */
import { readDialectFile } from './dialect-file.ts';
import { SOURCES, TOOLS, type Source, type Tool } from './enumerations.ts';
import { NAMED, NEUTRAL, type Names } from './names.ts';

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
  return buildDialect(name, readDialectFile(name));
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

const neutral = buildDialect('neutral', NEUTRAL);
const named = buildDialect('named', NAMED);
