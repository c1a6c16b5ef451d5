/**
 * A dialect maps the names of the specification to those of a service: a built-in one, or one read from a file. Renaming is in
 * wire.ts.
 */

import { type Source, SOURCES, type Tool, TOOLS } from '../model/enumerations.ts';
import { InvalidInput, type Problem } from '../model/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import {
  aiResponse,
  aiSearchRequest,
  completion,
  keyItem,
  microblogAuthor,
  microblogPost,
  microblogResponse,
  microblogSearchRequest,
  resultGroup,
  resultItem,
  textChunks,
} from './specification.ts';
import { NAMED, NAMED_2026, type Names, NEUTRAL, NEUTRAL_MEMBERS } from './dialect-names.ts';
import { z } from 'zod';

export type Dialect = Readonly<{
  /** `neutral`, `named`, `named-2026`, or the path of the file it was read from. */
  name: string;
  /**
   * The form in which a service answers operation A and writes posts: `grouped` as the specification shows, or `flat`
   * as the hosted service does since 2026 (flat-response.ts). Clients read both in any dialect.
   */
  answers: 'grouped' | 'flat';
  servicePrefix: string;
  microblogPath: string;
  /** Wire names by neutral member where they differ, and the reverse. */
  wireOf: ReadonlyMap<string, string>;
  neutralOf: ReadonlyMap<string, string>;
  /** Written labels by tool, in their order. */
  labelOf: ReadonlyMap<string, string>;
  /** Tools by accepted label or short id, in lower case. */
  toolOf: ReadonlyMap<string, Tool>;
  /** Written flat group by source, and source by accepted name. */
  groupOf: ReadonlyMap<Source, string>;
  sourceOf: ReadonlyMap<string, Source>;
}>;

/**
 * Loads a dialect: `neutral`, `named`, `named-2026`, or the path of a JSON file of the same format. Missing parts default
 * to neutral.
 * @throws InvalidInput naming the path if the file cannot be read or is invalid
 */
export function loadDialect(name: string): Dialect {
  return BUILT_IN.find((dialect) => dialect.name === name) ?? buildDialect(name, readDialectFile(name));
}

/** The wire name of a member. */
export function wireName(dialect: Dialect, member: string): string {
  return dialect.wireOf.get(member) ?? member;
}

/**
 * Paths of the two operations, with a leading slash: `/search/ai/search` and `/search/ai/search/links/microblog` in the
 * neutral dialect. `prefix` replaces the dialect's own (`SEARCH_API_PREFIX`); empty means none.
 */
export function buildOperationPaths(
  dialect: Dialect,
  prefix = dialect.servicePrefix,
): { ai: string; microblog: string } {
  const at = (path: string) => `/${[...splitPath(prefix), ...splitPath(path)].join('/')}`;
  return { ai: at('ai/search'), microblog: at(dialect.microblogPath) };
}

function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function buildDialect(name: string, names: Names, answers: Dialect['answers'] = 'grouped'): Dialect {
  const renamed = Object.entries(names.members).filter(([neutralName, wire]) => neutralName !== wire);
  return {
    name,
    answers,
    servicePrefix: names.service_prefix,
    microblogPath: names.microblog_path,
    wireOf: new Map(renamed),
    neutralOf: new Map(renamed.map(([neutralName, wire]) => [wire, neutralName])),
    labelOf: new Map(TOOLS.map((tool) => [tool, names.tools[tool][0]])),
    // Dialect names last, so that they override a neutral name of another tool.
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

const BUILT_IN = [
  buildDialect('neutral', NEUTRAL),
  buildDialect('named', NAMED),
  buildDialect('named-2026', NAMED_2026, 'flat'),
];

const route = z.string().regex(/^[\w.~/-]+$/, 'a path such as v1/search');
const label = z.string().trim().min(1).max(100);
const word = z
  .string()
  .regex(/^\w{1,100}$/, 'a name of letters, digits and _')
  .refine((name) => !(name in {}), 'a name that is not reserved in JavaScript');
/** One name, or a list: the first is written, all are accepted. */
const oneOrMore = <T extends z.ZodType<string>>(name: T) =>
  z.union([name.transform((only): [T['_output']] => [only]), z.tuple([name], name)]);

const dialectFile = z
  .strictObject({
    service_prefix: route,
    microblog_path: route,
    tools: z.partialRecord(z.enum(TOOLS), oneOrMore(label)),
    members: z.partialRecord(z.enum(NEUTRAL_MEMBERS), word),
    later_flat_members: z.partialRecord(z.enum(SOURCES), oneOrMore(word)),
  })
  .partial();

/**
 * Reads a dialect file: JSON with any of `service_prefix`, `microblog_path`, `tools` (label, short id), `members` (wire
 * name by neutral member) and `later_flat_members`; missing parts are neutral.
 * @throws InvalidInput naming the file and the invalid member
 */
function readDialectFile(path: string): Names {
  const content = readJson(path);
  const parsed = dialectFile.safeParse(content);
  if (!parsed.success)
    throw new InvalidInput(parsed.error.issues.flatMap((issue) => describeIssue(path, issue, content)));
  const { service_prefix, microblog_path, tools, members = {}, later_flat_members } = parsed.data;
  const names: Names = {
    service_prefix: service_prefix ?? NEUTRAL.service_prefix,
    microblog_path: microblog_path ?? NEUTRAL.microblog_path,
    tools: { ...NEUTRAL.tools, ...tools },
    members,
    later_flat_members: { ...NEUTRAL.later_flat_members, ...later_flat_members },
  };
  refuseDuplicates(path, names);
  return names;
}

/** Allowed names at each place of the file. */
const ALLOWED_NAMES: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(dialectFile.shape),
  tools: TOOLS,
  members: NEUTRAL_MEMBERS,
  later_flat_members: SOURCES,
};

function describeIssue(path: string, issue: z.core.$ZodIssue, whole: unknown): Problem[] {
  const place = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const allowed = `one of ${(ALLOWED_NAMES[place] ?? []).join(', ')}`;
    return issue.keys.map((key) => toProblem(path, place, allowed, key));
  }
  const actual = issue.path.reduce<unknown>((value, step) => Object(value)[step], whole);
  return [toProblem(path, place, issue.message, actual)];
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readSmallFile(path, 'SEARCH_API_NAMES').replace(/^\uFEFF/, ''));
  } catch {
    const expected = 'neutral, named, named-2026, or the path of a JSON file with a dialect';
    throw new InvalidInput([{ path: 'SEARCH_API_NAMES', given: path, expected }]);
  }
}

/** Refuses duplicate wire names, which could not be mapped back. */
function refuseDuplicates(path: string, names: Names): void {
  const members = new Set([...NEUTRAL_MEMBERS, ...listMembers().map((member) => member.split('.')[1] ?? '')]);
  const problems = [
    ...findDuplicates([...members].map((member) => names.members[member] ?? member)).map((name) =>
      toProblem(path, 'members', 'a unique wire name for each member', name),
    ),
    ...findDuplicates(SOURCES.flatMap((source) => [...new Set(names.later_flat_members[source])])).map(
      (name) => toProblem(path, 'later_flat_members', 'a unique name for each group', name),
    ),
    ...findDuplicates(
      TOOLS.flatMap((tool) => [...new Set(names.tools[tool].map((toolLabel) => toolLabel.toLowerCase()))]),
    ).map((name) => toProblem(path, 'tools', 'unique labels for each tool', name)),
  ];
  if (problems.length > 0) throw new InvalidInput(problems);
}

function findDuplicates(names: readonly string[]): string[] {
  return names.filter((name, i) => names.indexOf(name) !== i);
}

function toProblem(path: string, place: string, expected: string, value: unknown): Problem {
  return { path: place === '' ? path : `${path}: ${place}`, given: value, expected };
}

/** Every object of the specification, by the name used in member lists. */
const OBJECTS: Readonly<Record<string, z.ZodObject>> = {
  ai_request: aiSearchRequest,
  microblog_request: microblogSearchRequest,
  ai_answer: aiResponse,
  group: resultGroup,
  result: resultItem,
  text_chunks: textChunks,
  completion,
  key_item: keyItem,
  microblog_answer: microblogResponse,
  post: microblogPost,
  user: microblogAuthor,
};

/** Every member of the specification as `object.member`, such as `post.like_count` or `user.id`. */
export function listMembers(): string[] {
  return Object.entries(OBJECTS).flatMap(([object, schema]) =>
    Object.keys(schema.shape).map((member) => `${object}.${member}`),
  );
}
