/**
 * Renames members between the specification and a dialect, in both directions.
 *
 * Renames only what the specification names (a request's tools, the members of a response, its completion, text chunks,
 * posts and nested posts, types and roles of stream events), and of our additions the tool of a warning and the names
 * in `unknown_counters`. Everything else, such as `entities` and `media`, is unchanged. Never modifies values in place.
 * If a value has both names of a member, the wire name wins.
 */
import { type Dialect, wireName } from './dialect.ts';
import type { Source } from '../model/enumerations.ts';
import { isPlain, isPoisonous, type Plain } from '../lib/json-values.ts';

/** The type of a value, which determines where its names are. */
export type WireKind = 'request' | 'ai-answer' | 'microblog-answer' | 'post' | 'event';

/** From specification names to dialect names. Unknown members are unchanged. */
export function toWire(dialect: Dialect, kind: WireKind, value: unknown): unknown {
  return RENAMERS[kind](value, createOutward(dialect), 0);
}

/** From dialect names to specification names. Unknown members are unchanged. */
export function fromWire(dialect: Dialect, kind: WireKind, value: unknown): unknown {
  return RENAMERS[kind](value, createInward(dialect), 0);
}

/** One direction of a dialect. */
type Way = {
  member(name: string): string;
  /** The name of a flat group; undefined if it is no group. */
  group(name: string): string | undefined;
  tool(label: string): string;
  /** The source of an *incoming* flat group: the microblog's contains posts. */
  source(name: string): Source | undefined;
};

/** Nested posts are renamed to this depth; deeper ones are never read. */
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
      if (name === 'plan' && isPlain(member))
        return [name, { ...member, sources: renameWarnings(member.sources, way) }];
      const renamed = way.member(name);
      const isPosts = [name, renamed].includes('miner_microblog_posts');
      return [renamed, isPosts ? renamePosts(member, way) : member];
    });
  },

  'microblog-answer'(value, way) {
    return Array.isArray(value) ? renamePosts(value, way) : RENAMERS['ai-answer'](value, way, 0);
  },

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

/** Renames the members of one object, not of nested ones. */
function renameMembers(value: unknown, way: Way): unknown {
  return isPlain(value) ? copyMembers(value, (name, member) => [way.member(name), member]) : value;
}

function renamePosts(value: unknown, way: Way): unknown {
  return Array.isArray(value) ? value.map((post) => RENAMERS.post(post, way, 0)) : value;
}

/** The tool of a warning, or of a source in the plan, is a label, so it is spelled as in the dialect. */
function renameWarnings(value: unknown, way: Way): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((warning: unknown) =>
    isPlain(warning) && typeof warning.tool === 'string'
      ? { ...warning, tool: way.tool(warning.tool) }
      : warning,
  );
}

/** Lists of member names are renamed like the members. */
function renameMemberNames(value: unknown, way: Way): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((name: unknown) => (typeof name === 'string' ? way.member(name) : name));
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
    // A renamed member overrides one that already had the name, in any order.
    if (renamed !== name || !kept.includes(name)) out[renamed] = inside;
    if (renamed !== name) kept.push(renamed);
  }
  return out;
}

function createOutward(dialect: Dialect): Way {
  return {
    member: (name) => wireName(dialect, name),
    group: (name) => {
      const source = dialect.sourceOf.get(name);
      return source && dialect.groupOf.get(source);
    },
    tool: (label) => dialect.labelOf.get(label) ?? label,
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
