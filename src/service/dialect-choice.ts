/**
 * Which dialect a request to a named path speaks. The hosted service answers its paths in another form since 2026, and
 * its clients say nothing about which they expect: those of 2025 expect groups, those of 2026 flat lists.
 */

import { buildOperationPaths, type Dialect } from '../protocol/dialect.ts';
import { isPlain } from '../lib/json-values.ts';

/** Paths of the two operations. The flat dialect has the named paths, also below `/2026`, where it is never guessed. */
export function buildServedPaths(dialect: Dialect): { ai: string; microblog: string } {
  return buildOperationPaths(
    dialect,
    dialect.answers === 'flat' ? `2026/${dialect.servicePrefix}` : undefined,
  );
}

/** The HTTP libraries of the public clients of 2026 (undici, aiohttp); those of 2025 use axios and requests. */
const CLIENT_OF_2026 = /^undici$|\baiohttp\//i;

/**
 * Whether a request of operation B may be one of the public clients of 2026 or of the specification: nothing in it says
 * which. Its answer has to be valid for both.
 */
export function isOfEither(userAgent: string | undefined, request: unknown): boolean {
  return (
    CLIENT_OF_2026.test(userAgent ?? '') &&
    isPlain(request) &&
    !['model', 'count', 'tools'].some((member) => Object.hasOwn(request, member))
  );
}

/**
 * Whether a request is one of the public clients of 2026: sent by their HTTP library, without `model`, which they no
 * longer know, and with no tool by another name than their short id, in operation B with a `count`. Any other request gets what it always got.
 * @param flat the dialect with the short ids
 */
export function isClientOf2026(userAgent: string | undefined, request: unknown, flat: Dialect): boolean {
  if (!CLIENT_OF_2026.test(userAgent ?? '') || !isPlain(request) || Object.hasOwn(request, 'model'))
    return false;
  // Operation B has no tools: only `count` is not of the specification.
  if (!Object.hasOwn(request, 'tools')) return Object.hasOwn(request, 'count');
  const shortIds = new Set(flat.labelOf.values());
  const isOtherName = (tool: unknown) => {
    const name = typeof tool === 'string' ? tool.trim().toLowerCase() : '';
    return flat.toolOf.has(name) && !shortIds.has(name);
  };
  return !Array.isArray(request.tools) || !request.tools.some(isOtherName);
}
