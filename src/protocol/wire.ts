/**
 * Renaming between the specification's words and a dialect's, in both directions.
 *
 * Only the places that the specification names are renamed (a request's tools, the members of an answer,
 * its completion, text chunks, posts and the posts inside them, the kinds and roles of stream events), and of
 * our additions the tool of a warning and the names in `unknown_counters`. Everything else, `entities` and
 * `media` above all, passes through as it is. Values are never changed in place. Where a value already holds
 * both spellings of one member, the wire's own wins.
 */
import type { Dialect } from './dialect.ts';
import { TOOLS, type Source, type Tool } from '../domain/enumerations.ts';
import { isPlain, isPoisonous, type Plain } from './json.ts';

/** What a value is, and so where its names stand. */
export type WireKind = 'request' | 'ai-answer' | 'microblog-answer' | 'completion' | 'post' | 'event';

/** From the specification's words to the dialect's. Members nobody knows are left alone. */
export function toWire(dialect: Dialect, kind: WireKind, value: unknown): unknown {
  return RENAMERS[kind](value, createOutward(dialect), 0);
}

/** From the dialect's words to the specification's. Members nobody knows are left alone. */
export function fromWire(dialect: Dialect, kind: WireKind, value: unknown): unknown {
  return RENAMERS[kind](value, createInward(dialect), 0);
}

/** One direction of a dialect. */
type Way = {
  member(name: string): string;
  /** A flat group's name; undefined where the name is no group. */
  group(name: string): string | undefined;
  tool(label: string): string;
  /** Which source a flat group on the way *in* belongs to: the microblog's holds posts. */
  source(name: string): Source | undefined;
};

/** Quoted and reposted posts inside posts are renamed this deep: further in nobody reads. */
const MAX_NESTING = 8;

const RENAMERS: Record<WireKind, (value: unknown, way: Way, depth: number) => unknown> = {
  request(value, way) {
    if (!isPlain(value)) return value;
    return copyMembers(value, (name, member) => [
      name,
      name === 'tools' && Array.isArray(member)
        ? member.map((tool: unknown) => (typeof tool === 'string' ? way.tool(tool) : tool))
        : member,
    ]);
  },

  'ai-answer'(value, way) {
    if (!isPlain(value)) return value;
    return copyMembers(value, (name, member) => {
      const source = way.source(name);
      if (source !== undefined) {
        return [way.group(name) ?? name, source === 'microblog' ? renamePosts(member, way) : member];
      }
      if (name === 'completion' || name === 'text_chunks') return [name, renameMembers(member, way)];
      if (name === 'warnings') return [name, renameWarnings(member, way)];
      const renamed = way.member(name);
      return [renamed, isPostList(name, renamed) ? renamePosts(member, way) : member];
    });
  },

  'microblog-answer'(value, way) {
    return Array.isArray(value) ? renamePosts(value, way) : RENAMERS['ai-answer'](value, way, 0);
  },

  completion: renameMembers,

  post(value, way, depth) {
    if (!isPlain(value) || depth > MAX_NESTING) return value;
    return copyMembers(value, (name, member) => {
      const renamed = way.member(name);
      if (name === 'unknown_counters') return [name, renameMemberNames(member, way)];
      const nested = name === 'quote' || name === 'repost' || renamed === 'repost';
      return [renamed, nested ? RENAMERS.post(member, way, depth + 1) : member];
    });
  },

  event(value, way) {
    if (!isPlain(value) || typeof value.type !== 'string') return value;
    const { type, role, content } = value;
    if (type === 'text') return { ...value, role: typeof role === 'string' ? way.member(role) : role };
    if (type === 'completion') return { ...value, content: renameMembers(content, way) };
    if (type === 'result') return { ...value, content: RENAMERS['ai-answer'](content, way, 0) };
    const source = way.source(type);
    if (source === undefined) return value;
    return {
      ...value,
      type: way.group(type) ?? type,
      content: source === 'microblog' ? renamePosts(content, way) : content,
    };
  },
};

/** Renames the members of one object and nothing inside them. */
function renameMembers(value: unknown, way: Way): unknown {
  return isPlain(value) ? copyMembers(value, (name, member) => [way.member(name), member]) : value;
}

function renamePosts(value: unknown, way: Way): unknown {
  return Array.isArray(value) ? value.map((post) => RENAMERS.post(post, way, 0)) : value;
}

/** The tool of each warning is a label, and so spelled as the dialect does. */
function renameWarnings(value: unknown, way: Way): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((warning: unknown) =>
    isPlain(warning) && typeof warning.tool === 'string'
      ? { ...warning, tool: way.tool(warning.tool) }
      : warning,
  );
}

/** A list of members by name is spelled as the members are. */
function renameMemberNames(value: unknown, way: Way): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((name: unknown) => (typeof name === 'string' ? way.member(name) : name));
}

function isPostList(...names: string[]): boolean {
  return names.includes('miner_microblog_posts');
}

function copyMembers(
  value: Plain,
  member: (name: string, value: unknown) => [name: string, value: unknown],
): Plain {
  const out: Plain = {};
  const kept: string[] = [];
  for (const name of Object.keys(value)) {
    if (isPoisonous(name)) continue;
    const [renamed, inside] = member(name, value[name]);
    // A renamed member wins over one that already had the name, wherever it stands.
    if (renamed !== name || !kept.includes(name)) out[renamed] = inside;
    if (renamed !== name) kept.push(renamed);
  }
  return out;
}

function createOutward(dialect: Dialect): Way {
  return {
    member: (name) => dialect.wireOf.get(name) ?? name,
    group: (name) => {
      const source = dialect.sourceOf.get(name);
      return source && dialect.groupOf.get(source);
    },
    tool: (label) => (isTool(label) ? (dialect.labelOf.get(label) ?? label) : label),
    source: (name) => dialect.sourceOf.get(name),
  };
}

function createInward(dialect: Dialect): Way {
  return {
    member: (name) => dialect.neutralOf.get(name) ?? name,
    group: (name) => dialect.sourceOf.get(name),
    tool: (label) => dialect.toolOf.get(label.trim().toLowerCase()) ?? label,
    source: (name) => dialect.sourceOf.get(name),
  };
}

function isTool(label: string): label is Tool {
  return (TOOLS as readonly string[]).includes(label); // widened only to ask whether it is in the list
}
