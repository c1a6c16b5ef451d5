/** Files that `plan` and `apply` read: as they are sent, and where each path of them is, so that problems are at lines. */
import { collectProblems, InvalidInput, type Problem } from '../model/errors.ts';
import { isPlain } from '../lib/json-values.ts';
import { readSmallFile } from '../platform/small-file.ts';
import type { Cli } from './command-context.ts';
import { EXIT_USAGE } from './command-input.ts';
import { oneLine } from './terminal-text.ts';
import { readTopicList } from './topic-list.ts';
import { type Resolve, readYaml } from './yaml-file.ts';
import path from 'node:path';

export type GivenFiles = {
  /** YAML. */
  file?: string;
  /** A list of topics. */
  topics?: string;
  /** Instead of that in the file. */
  name?: string;
};

type Given = {
  file: unknown;
  /** By path of the file: `watch.yaml:12`. */
  places: ReadonlyMap<string, string>;
  /** Found by reading it; each path has a place. */
  problems: readonly { path: string; expected: string }[];
};

/** @returns null if a file cannot be read, which is said */
export function readGiven(cli: Cli, files: GivenFiles): Given | null {
  try {
    return readFiles(cli, files);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    for (const { path: place, expected } of error.problems) sayError(cli, place, expected);
    cli.exitCode = EXIT_USAGE;
    return null;
  }
}

/** @throws InvalidInput if one of them cannot be read as a whole: its problems are at `watch.yaml:12` */
function readFiles({ io }: Cli, { file, topics: list, name }: GivenFiles): Given {
  if (file === undefined && list === undefined)
    throw new InvalidInput([
      { path: 'file', given: undefined, expected: 'give a file (-f), a list of topics (--topics), or both' },
    ]);
  const problems: Problem[] = [];
  const places = new Map<string, string>();
  const read = <T extends { lines: ReadonlyMap<string, number> }>(
    named: string,
    parse: (text: string) => T,
  ) => collectProblems(problems, () => readPlaced(named, places, parse), undefined);
  const yaml =
    file === undefined ? undefined : read(file, (text) => readYaml(text, createResolve(io.env, file)));
  const listed = list === undefined ? undefined : read(list, readTopicList);
  if (problems.length > 0) throw new InvalidInput(problems);
  const value = yaml?.value ?? {};
  if (!isPlain(value)) return { file: value, places, problems: [] };
  const own = isPlain(value['topics']) ? value['topics'] : {};
  const twice = Object.keys(listed?.topics ?? {}).filter((slug) => Object.hasOwn(own, slug));
  return {
    file: {
      ...value,
      ...(listed === undefined ? {} : { topics: { ...own, ...listed.topics } }),
      ...(name === undefined ? {} : { name }),
    },
    places,
    problems: [
      ...(yaml?.problems ?? []).map(({ path: at, expected }) => ({ path: at, expected })),
      ...twice.map((slug) => ({ path: `topics.${slug}`, expected: `${file} has this topic, too` })),
    ],
  };
}

function readPlaced<T extends { lines: ReadonlyMap<string, number> }>(
  named: string,
  places: Map<string, string>,
  parse: (text: string) => T,
): T {
  const text = collectFileProblems(named, () => readSmallFile(named === '-' ? '/dev/stdin' : named, named));
  const result = collectFileProblems(named, () => parse(text));
  for (const [at, line] of result.lines) places.set(at, `${named}:${line}`);
  return result;
}

/** Problems at `LINE` become those at `watch.yaml:LINE`. */
function collectFileProblems<T>(named: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.problems.map((each) => ({
        ...each,
        path: each.path === named ? named : `${named}:${each.path}`,
      })),
    );
  }
}

/** Variables of this shell, and files beside the one that names them. */
function createResolve(env: Cli['io']['env'], file: string): Resolve {
  return (kind, name) => {
    if (kind === 'file') return readSmallFile(path.resolve(path.dirname(file), name), 'file').trim();
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    throw new InvalidInput([{ path: 'env', given: name, expected: `the variable ${name} is not set` }]);
  };
}

/**
 * Says the problems of the files and those that `work` throws, each at its line, in the order of the lines.
 * @returns null if there are any
 */
export async function sayingProblems<T>(
  cli: Cli,
  { places, problems }: Given,
  work: () => Promise<T>,
): Promise<T | null> {
  const said = problems.map(({ path: at, expected }) => ({ at, words: expected }));
  let result: T | null = null;
  try {
    result = await work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    for (const { path: member, ...rest } of error.problems) {
      const problem = { ...rest, path: member.replace(/^(?:body\.)?file(?:\.|$)/, '') };
      // What could not be read was sent as empty, so nothing else is said of it.
      if (problems.some((known) => known.path === problem.path)) continue;
      const words = new InvalidInput([problem]).message.slice(problem.path.length + 2);
      said.push({ at: problem.path, words });
    }
  }
  if (said.length === 0) return result;
  const placed = said.map(({ at, words }) => ({ place: findPlace(at, places), at, words }));
  for (const { place, at, words } of placed.toSorted((a, b) => compareLines(a.place, b.place)))
    sayError(cli, [place, at].filter((part) => part !== '').join(': ') || 'file', words);
  cli.exitCode = EXIT_USAGE;
  return null;
}

function sayError(cli: Cli, place: string, words: string): void {
  cli.say(`error: ${oneLine(`${place}: ${words}`)}`);
}

/** Of what is missing, the line of what should have it. */
function findPlace(at: string, places: ReadonlyMap<string, string>): string {
  for (let part = at; part !== ''; part = part.replace(/(?:\.[^.[\]]*|\[\d+\]|^[^.[\]]+)$/, '')) {
    const place = places.get(part);
    if (place !== undefined) return place;
  }
  return '';
}

function compareLines(a: string, b: string): number {
  const line = (place: string) => Number(place.slice(place.lastIndexOf(':') + 1));
  return line(a) - line(b) || 0;
}
