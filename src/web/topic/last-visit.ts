/**
 * The last visit, kept in a cookie only: the newest discovery when the visit began, and the newest one now; and what was
 * discovered since. A visit ends after half an hour without a request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import type { Id, Reads } from '../../store/db/database.ts';
import type { DiscoveryView } from '../../store/queries/discoveries.ts';
import { countDiscoveriesSince } from '../../store/queries/search-activity.ts';
import { parseCookies } from '../components/page-frame.tsx';
import { placeCookie } from '../../model/mount.ts';
import { MAX_ID } from '../../model/value-shapes.ts';

/** The newest discovery at a time. */
export type DiscoveryPoint = { id: Id; at: Date };

/** A visit after an earlier one. */
export type Visit = {
  /** Later discoveries are new to the visitor. */
  since: Id;
  /** How many there are, by kind. */
  counts: Awaited<ReturnType<typeof countDiscoveriesSince>>;
};

const VISIT_COOKIE = 'visit';
const VISIT_GAP_MS = 30 * MINUTE;
const VISIT_COOKIE_MS = 400 * DAY;

/** `sinceId.sinceAt.lastId.lastAt`, times in seconds; `sinceId` is `-` at the first visit. */
const VISIT_COOKIE_FORMAT = /^(\d{1,19}|-)\.(\d{1,12})\.(\d{1,19})\.(\d{1,12})$/;

/** Remembers this visit in the cookie. @returns the newest discovery before this visit; null on the first one */
export function markVisit(request: FastifyRequest, reply: FastifyReply): DiscoveryPoint | null {
  const { now, seen, mount } = request.frame;
  const { name, path } = placeCookie(mount, VISIT_COOKIE);
  const visited = VISIT_COOKIE_FORMAT.exec(parseCookies(request.headers.cookie)[name] ?? '');
  const since = visited === null ? null : continueVisit(visited, now);
  const seconds = Math.floor(now.getTime() / SECOND);
  const before = since === null ? '-.0' : `${since.id}.${Math.floor(since.at.getTime() / SECOND)}`;
  void reply.setCookie(name, `${before}.${seen}.${seconds}`, {
    path,
    httpOnly: true,
    sameSite: 'lax',
    maxAge: VISIT_COOKIE_MS / SECOND,
  });
  return since;
}

/** Remembers this visit in the cookie, and counts what is new. @returns null on the first one */
export async function rememberVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  db: Reads,
  { everySearch, view }: { everySearch: readonly { id: Id }[]; view: DiscoveryView },
): Promise<Visit | null> {
  const since = markVisit(request, reply);
  if (since === null) return null;
  const ids = everySearch.map(({ id }) => id);
  return { since: since.id, counts: await countDiscoveriesSince(db, ids, since, view) };
}

function continueVisit(
  [, sinceId = '-', sinceAt = '0', lastId = '0', lastAt = '0']: RegExpExecArray,
  now: Date,
): DiscoveryPoint | null {
  const last = { id: parseId(lastId), at: new Date(Number(lastAt) * SECOND) };
  if (now.getTime() - last.at.getTime() > VISIT_GAP_MS) return last;
  return sinceId === '-' ? null : { id: parseId(sinceId), at: new Date(Number(sinceAt) * SECOND) };
}

/** Cookies are untrusted: the id may exceed a Postgres bigint. */
function parseId(written: string): Id {
  const id = BigInt(written);
  return id > MAX_ID ? MAX_ID : id;
}
