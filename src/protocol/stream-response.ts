/**
 * The events of a stream:
 *
 *     {"type": "text", "role": "summary", "content": "tokens"}
 *     {"type": <a flat group of the third generation>, "content": [items]}   when each tool ends, in any order
 *     {"type": "completion", "content": "whole text" or a completion object}   the end
 *     {"type": "result", "content": {the whole response}}   also the end
 *     {"type": "error", "error": ...} or {"error": ...}
 *
 * Other types are skipped. An object without a type but with members of a response is the response.
 */
import { wireName, type Dialect } from './dialect.ts';
import { readErrorValue } from './error-body.ts';
import { isPlain, isPoisonous, own, type Plain } from '../lib/json-values.ts';

/** Members of a response that some services send as separate events. */
const UNWRAPPED_MEMBERS = new Set([
  'miner_link_scores',
  'warnings',
  'search_completion_links',
  'completion_links',
]);

/** Maximum number of text roles; four are known. */
const MAX_ROLES = 100;

type StreamAssembler = {
  /** Adds an event; `name` is from its `event:` line and replaces a missing type. */
  take: (event: Plain, name: string) => void;
  fail: (words: unknown) => void;
  readonly complete: boolean;
  readonly error: string | null;
  wireAnswer: () => Plain;
};

/** Assembles the events of one stream into one response. */
export function createStreamAssembler(dialect: Dialect): StreamAssembler {
  const members = new Map<string, unknown>();
  const groups = new Map<string, unknown[]>();
  const texts = new Map<string, string[]>();
  let completion: unknown = null;
  let whole: Plain = {};
  let complete = false;
  let error: string | null = null;

  function take(event: Plain, name: string): void {
    const type = typeof event.type === 'string' ? event.type : name;
    const { content } = event;
    if (type === 'text') return takeText(event.role, content);
    if (type === 'completion' && content !== undefined) return finish(content, null);
    if (type === 'result' && isPlain(content)) return finish(null, content);
    if (dialect.sourceOf.has(type) && !own(event, 'error')) return takeItems(type, content);
    if (UNWRAPPED_MEMBERS.has(type)) return void members.set(type, content);
    if (type === 'error' || own(event, 'error') || isRefusal(event)) return fail(event);
    if (type === '' && isWholeResponse(event, dialect)) return finish(null, event);
  }

  function takeText(role: unknown, content: unknown): void {
    if (typeof role !== 'string' || typeof content !== 'string' || isPoisonous(role)) return;
    const pieces = texts.get(role) ?? [];
    if (pieces.length === 0 && texts.size >= MAX_ROLES) return;
    pieces.push(content);
    texts.set(role, pieces);
  }

  function takeItems(type: string, content: unknown): void {
    const items = groups.get(type) ?? [];
    if (Array.isArray(content)) for (const item of content) items.push(item);
    else if (content !== null && content !== undefined) items.push(content);
    groups.set(type, items);
  }

  /** Handles the end of the stream. If it comes twice, the last non-empty content counts. */
  function finish(text: unknown, answer: Plain | null): void {
    completion = text ?? completion;
    whole = answer ?? whole;
    complete = true;
  }

  function fail(event: unknown): void {
    error ??= readErrorValue(event).message ?? 'the stream contains an error without a message';
  }

  function wireAnswer(): Plain {
    const summary = wireName(dialect, 'microblog_summary');
    const pieces = texts.get(summary);
    return {
      ...Object.fromEntries(groups),
      ...Object.fromEntries(members),
      ...(pieces && { text_chunks: { [summary]: pieces } }),
      completion,
      ...whole,
      texts: Object.fromEntries([...texts].map(([role, parts]) => [role, parts.join('')])),
    };
  }

  return {
    take,
    fail,
    wireAnswer,
    get complete() {
      return complete;
    },
    get error() {
      return error;
    },
  };
}

function isRefusal(event: Plain): boolean {
  return event.type === undefined && own(event, 'detail') !== undefined;
}

function isWholeResponse(event: Plain, dialect: Dialect): boolean {
  return Object.keys(event).some((name) => {
    const neutral = dialect.neutralOf.get(name) ?? name;
    return (
      name === 'completion' ||
      UNWRAPPED_MEMBERS.has(name) ||
      dialect.sourceOf.has(name) ||
      neutral === 'miner_microblog_posts' ||
      neutral.endsWith('_search_results')
    );
  });
}
