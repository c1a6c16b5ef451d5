/**
 * Follows former slugs of topics and searches, so that links, bookmarks and programs keep working after a rename. A page
 * redirects to its new address; the API replies as for the current slug, whose URL is in `Content-Location`.
 */
import { isPlain } from '../../lib/json-values.ts';
import type { Database } from '../../store/db/database.ts';
import {
  findRenamed,
  listSlugs,
  type NamedKind,
  NAMING,
  type RenamedSlug,
  replaceSlugs,
} from '../../store/topics/former-slugs.ts';
import type { App } from './route-types.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What `slug` names in the path of a page. */
const PAGE_PATH = /^\/(topic|search)(?:s|es)\/:slug(?:\/|$)/;
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** Applies to every route that is added after it. */
export function followFormerSlugs(app: App, db: Database): void {
  app.addHook('preHandler', async (request, reply) => {
    const named = [...listPart(readPath(request)), ...listPart(request.query), ...listPart(request.body)];
    const renamed = await findRenamed(db.pool, named);
    return renamed.length === 0 ? undefined : follow(request, reply, renamed);
  });
}

function follow(request: FastifyRequest, reply: FastifyReply, renamed: readonly RenamedSlug[]) {
  const address = writeAddress(request, renamed);
  if (request.routeOptions.config.door === 'page' && address !== request.url)
    return reply.redirect(address, 308);
  if (SAFE_METHODS.has(request.method)) reply.header('content-location', address);
  const { params, query, body } = request;
  request.params = replacePart(params, renamed);
  request.query = replacePart(query, renamed);
  request.body = replacePart(body, renamed);
  // A cursor is bound to the filters of its page, which the client still sends with the former slug.
  if (isPlain(request.query) && isPlain(request.query['cursor']))
    request.query['cursor'] = { ...request.query['cursor'], renamed };
  return undefined;
}

/** The parameters of the path, by what they name. */
function readPath({ params, routeOptions }: FastifyRequest): Record<string, unknown> {
  if (!isPlain(params)) return {};
  const [, kind] = PAGE_PATH.exec(routeOptions.url ?? '') ?? [];
  return kind === undefined ? params : { [kind]: params['slug'] };
}

const kindOf = (member: string) => (Object.hasOwn(NAMING, member) ? NAMING[member] : undefined);

/** Slugs in one value or several, repeated or separated by commas. */
function listPart(part: unknown): { kind: NamedKind; slug: string }[] {
  if (!isPlain(part)) return [];
  return Object.entries(part).flatMap(([member, value]) => {
    const kind = kindOf(member);
    if (kind === undefined) return [];
    return [value].flat().flatMap((one) => (typeof one === 'string' ? listSlugs(kind, one) : []));
  });
}

function replacePart(part: unknown, renamed: readonly RenamedSlug[]): unknown {
  if (!isPlain(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([member, value]) => {
      const replace = (one: unknown) => (typeof one === 'string' ? replaceIn(member, one, renamed) : one);
      return [member, Array.isArray(value) ? value.map(replace) : replace(value)];
    }),
  );
}

/** @param member the name of what has this value, which is replaced only if it names topics or searches */
function replaceIn(member: string, value: string, renamed: readonly RenamedSlug[]): string {
  const kind = kindOf(member);
  return kind === undefined ? value : replaceSlugs(kind, value, renamed);
}

/** @returns the URL with current slugs, without origin */
function writeAddress({ url, routeOptions }: FastifyRequest, renamed: readonly RenamedSlug[]): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const route = routeOptions.url ?? '';
  const [, pageKind] = PAGE_PATH.exec(route) ?? [];
  const members = route.split('/').map((step) => (step === ':slug' ? pageKind : /^:(.+)/.exec(step)?.[1]));
  const path = pathname.split('/').map((step, i) => replaceIn(members[i] ?? '', step, renamed));
  const query = [...searchParams].map(([member, value]) => [member, replaceIn(member, value, renamed)]);
  return [path.join('/'), new URLSearchParams(query).toString()].filter((part) => part !== '').join('?');
}
