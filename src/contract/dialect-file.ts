import { z } from 'zod';
import { InvalidInput, type Problem } from '../errors.ts';
import { SOURCES, TOOLS } from './enumerations.ts';
import { contractMembers } from './members.ts';
import { NEUTRAL, NEUTRAL_MEMBERS, type Names } from './names.ts';
import { readShortFile } from './short-file.ts';

const route = z.string().regex(/^[\w.~/-]+$/, 'a path such as v1/search');
const label = z.string().trim().min(1).max(100);
const word = z
  .string()
  .regex(/^\w{1,100}$/, 'a name of letters, digits and _')
  .refine((name) => !(name in {}), 'a name that means nothing special to JavaScript');
/** One name, or a list whose first is written and all of which are read. */
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
 * The names in a dialect file: JSON with any of `service_prefix`, `microblog_path`, `tools` (label, short
 * id), `members` (wire name by neutral member) and `later_flat_members`; what is missing is neutral.
 * @throws InvalidInput naming the file and the place in it.
 */
export function readDialectFile(path: string): Names {
  const given = readJson(path);
  const parsed = dialectFile.safeParse(given);
  if (!parsed.success)
    throw new InvalidInput(parsed.error.issues.flatMap((issue) => problemsOf(path, issue, given)));
  const { service_prefix, microblog_path, tools, members = {}, later_flat_members } = parsed.data;
  const names: Names = {
    service_prefix: service_prefix ?? NEUTRAL.service_prefix,
    microblog_path: microblog_path ?? NEUTRAL.microblog_path,
    tools: { ...NEUTRAL.tools, ...tools },
    members,
    later_flat_members: { ...NEUTRAL.later_flat_members, ...later_flat_members },
  };
  refuseDoubles(path, names);
  return names;
}

/** What each place of the file may hold. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(dialectFile.shape),
  tools: TOOLS,
  members: NEUTRAL_MEMBERS,
  later_flat_members: SOURCES,
};

function problemsOf(path: string, issue: z.core.$ZodIssue, whole: unknown): Problem[] {
  const place = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const allowed = `one of ${(ALLOWED[place] ?? []).join(', ')}`;
    return issue.keys.map((key) => problem(path, place, allowed, key));
  }
  const given = issue.path.reduce<unknown>((value, step) => Object(value)[step], whole);
  return [problem(path, place, issue.message, given)];
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readShortFile(path).replace(/^\uFEFF/, ''));
  } catch {
    const expected = 'neutral, named, or the path of a readable JSON file with the names of a dialect';
    throw new InvalidInput([{ path: 'SEARCH_API_NAMES', given: path, expected }]);
  }
}

/** Two things under one wire name could not be told apart on the way back. */
function refuseDoubles(path: string, names: Names): void {
  const members = new Set([
    ...NEUTRAL_MEMBERS,
    ...contractMembers().map((member) => member.split('.')[1] ?? ''),
  ]);
  const problems = [
    ...doubles([...members].map((member) => names.members[member] ?? member)).map((name) =>
      problem(path, 'members', 'a wire name of its own for each member', name),
    ),
    ...doubles(SOURCES.flatMap((source) => [...new Set(names.later_flat_members[source])])).map((name) =>
      problem(path, 'later_flat_members', 'a name of its own for each group', name),
    ),
    ...doubles(TOOLS.flatMap((tool) => [...new Set(names.tools[tool].map((l) => l.toLowerCase()))])).map(
      (name) => problem(path, 'tools', 'labels of its own for each tool', name),
    ),
  ];
  if (problems.length > 0) throw new InvalidInput(problems);
}

function doubles(names: readonly string[]): string[] {
  return names.filter((name, i) => names.indexOf(name) !== i);
}

function problem(path: string, place: string, expected: string, given: unknown): Problem {
  return { path: place === '' ? path : `${path}: ${place}`, given, expected };
}
