/**
 * Reads YAML that a person wrote, or that is hostile: as JSON, with the line of each path. `{ env: NAME }` and `{ file: PATH }` are
 * replaced by what they name. Everything is bounded: size, depth, and nodes, those of aliases included.
 */
import { InvalidInput, type Problem } from '../model/errors.ts';
import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, parseDocument } from 'yaml';

export type YamlFile = {
  value: unknown;
  /** By path, such as `topics.ferry.searches`. */
  lines: ReadonlyMap<string, number>;
  /** Of members that are given twice, and references that lead nowhere; the rest can be read. */
  problems: readonly Problem[];
};

/** What a reference stands for. @throws InvalidInput */
export type Resolve = (kind: 'env' | 'file', name: string) => string;

/** Of a file with as many resources as a plan may have. The parser takes a second for them. */
const MAX_TOKENS = 300_000;
/** One mistake is often many errors. */
const MAX_ERRORS = 10;
const OF_EXTRA = /^topics\.[^.]+\.searches\.[^.]+\.extra\b/;
const MAX_NODES = 100_000;
const MAX_DEPTH = 40;
const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;
/** More brackets, or spaces before a line, than that are no file of ours; the parser would take long, or overflow its stack. */
const MAX_OPEN = 200;

/** @throws InvalidInput if it cannot be read as a whole, at `LINE` */
export function readYaml(text: string, resolve: Resolve): YamlFile {
  assertText(text);
  const counter = new LineCounter();
  // Duplicate keys are found below: the parser compares each with each.
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: false,
    stringKeys: true,
  });
  const errors = [...document.errors, ...document.warnings].map(({ pos: [at], message }) => ({
    path: String(counter.linePos(at).line),
    given: undefined,
    expected: /multiple documents/.test(message)
      ? 'several documents: remove --- between them'
      : message.replace(/ at line .*$|: ".*$/s, ''),
  }));
  if (errors.length > 0) throw new InvalidInput(errors.slice(0, MAX_ERRORS));
  const problems: Problem[] = [];
  const reader = createReader({
    resolve,
    problems,
    lineOf: (node) => counter.linePos(node.range?.[0] ?? 0).line,
  });
  const value = document.contents === null ? {} : reader.read(document.contents, '', 0);
  return { value, lines: reader.lines, problems };
}

/** @throws InvalidInput */
function assertText(text: string): void {
  const refuse = (expected: string) => new InvalidInput([{ path: '1', given: undefined, expected }]);
  if (text.includes('\0')) throw refuse('this is no text: it contains a NUL character');
  if (text.trim() === '' || text.trim() === '\uFEFF') throw refuse('the file is empty');
  let open = 0;
  for (const [mark] of text.matchAll(/[[{\]}]|^[ ?-]{200}/gm)) {
    open += mark === '[' || mark === '{' ? 1 : -1;
    if (mark.length > 1 || open > MAX_OPEN) throw refuse(TOO_DEEP);
    open = Math.max(0, open);
  }
  let tokens = 0;
  for (const _ of new Lexer().lex(text)) tokens += 1;
  if (tokens > MAX_TOKENS) throw refuse('too long');
}

type Reading = { resolve: Resolve; problems: Problem[]; lineOf: (node: Node) => number };

function createReader({ resolve, problems, lineOf }: Reading) {
  const lines = new Map<string, number>();
  const anchors = new Map<string, Node>();
  let nodes = 0;
  const refuse = (node: Node, path: string, expected: string) => {
    if (!lines.has(path)) lines.set(path, lineOf(node));
    problems.push({ path, given: undefined, expected });
  };

  function read(node: unknown, path: string, depth: number): unknown {
    if (node === null || node === undefined) return null;
    const each = node as Node; // of a document without errors
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH)
      throw new InvalidInput([
        {
          path: String(lineOf(each)),
          given: undefined,
          expected: depth > MAX_DEPTH ? TOO_DEEP : `more than ${MAX_NODES} values, those of aliases included`,
        },
      ]);
    if (isAlias(each)) {
      const source = anchors.get(each.source);
      if (source !== undefined) return read(source, path, depth + 1);
      refuse(each, path, `no anchor &${each.source} is above it`);
      return null;
    }
    if (each.anchor !== undefined) anchors.set(each.anchor, each);
    if (isSeq(each))
      return each.items.map((item, i) => {
        const at = `${path}[${i}]`;
        setLine(at, item);
        return read(item, at, depth + 1);
      });
    if (isMap(each)) return readMap(each.items, each, path, depth);
    const { value, source } = isScalar(each) ? each : {};
    return typeof value === 'number' && !Number.isFinite(value) ? source : value;
  }

  function setLine(path: string, node: unknown): void {
    if (!lines.has(path) && node !== null && node !== undefined) lines.set(path, lineOf(node as Node)); // as above
  }

  function readMap(
    pairs: readonly { key: unknown; value: unknown }[],
    node: Node,
    path: string,
    depth: number,
  ): unknown {
    const members = new Map<string, unknown>();
    const merged: [string, unknown][] = [];
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : '';
      const at = path === '' ? name : `${path}.${name}`;
      if (members.has(name)) refuse(key as Node, at, `given again at line ${lineOf(key as Node)}`); // as above
      if (members.has(name)) continue;
      setLine(at, key);
      const given = read(value, at, depth + 1);
      if (name === '<<')
        merged.push(...[given].flat().flatMap((each) => Object.entries(Object(each) as object)));
      else members.set(name, given);
    }
    for (const [name, given] of merged) if (!members.has(name)) members.set(name, given);
    return readReference(members, node, path) ?? Object.fromEntries(members);
  }

  /** Undefined unless it is a reference. Members of `extra` are sent as they are. */
  function readReference(
    members: ReadonlyMap<string, unknown>,
    node: Node,
    path: string,
  ): string | undefined {
    const [[kind, name] = []] = members;
    if (members.size !== 1 || (kind !== 'env' && kind !== 'file') || OF_EXTRA.test(path)) return undefined;
    try {
      if (typeof name === 'string' && name !== '') return resolve(kind, name);
      refuse(
        node,
        `${path}.${kind}`,
        kind === 'env' ? 'expected the name of a variable' : 'expected the path of a file',
      );
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      refuse(node, path, error.problems[0]?.expected ?? error.message);
    }
    return '';
  }

  return { read, lines };
}
