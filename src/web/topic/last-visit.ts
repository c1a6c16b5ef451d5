/**
 * The last visit, kept in a cookie only: the newest discovery when the visit began, and the newest one now. A visit
 * ends after half an hour without a request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DAY, MINUTE, SECOND } from '../../domain/time.ts';
import type { Id } from '../../store/database.ts';
import { parseCookies } from '../components/page-frame.tsx';
import { MAX_ID } from '../../monitor/http/cursors.ts';

/** The newest discovery at a time. */
type DiscoveryPoint = { id: Id; at: Date };

export type Visit = {
  /** Later discoveries are new to the visitor; null on the first visit. */
  since: DiscoveryPoint | null;
};

const VISIT_COOKIE = 'visit';
const VISIT_GAP_MS = 30 * MINUTE;
const VISIT_COOKIE_MS = 400 * DAY;

/** `sinceId.sinceAt.lastId.lastAt`, times in seconds; `sinceId` is `-` at the first visit. */
const VISIT_COOKIE_FORMAT = /^(\d{1,19}|-)\.(\d{1,12})\.(\d{1,19})\.(\d{1,12})$/;

/** @param last the newest discovery; zero if there is none */
export function updateVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  { now, last }: { now: Date; last: Id },
): Visit {
  const found = VISIT_COOKIE_FORMAT.exec(parseCookies(request.headers.cookie)[VISIT_COOKIE] ?? '');
  const visit = found === null ? { since: null } : continueVisit(found, now);
  const { since } = visit;
  const seconds = Math.floor(now.getTime() / SECOND);
  const before = since === null ? '-.0' : `${since.id}.${Math.floor(since.at.getTime() / SECOND)}`;
  void reply.setCookie(VISIT_COOKIE, `${before}.${last}.${seconds}`, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge: VISIT_COOKIE_MS / SECOND,
  });
  return visit;
}

function continueVisit(
  [, sinceId = '-', sinceAt = '0', lastId = '0', lastAt = '0']: RegExpExecArray,
  now: Date,
): Visit {
  const last = { id: parseId(lastId), at: new Date(Number(lastAt) * SECOND) };
  if (now.getTime() - last.at.getTime() > VISIT_GAP_MS) return { since: last };
  return { since: sinceId === '-' ? null : { id: parseId(sinceId), at: new Date(Number(sinceAt) * SECOND) } };
}

/** Cookies are untrusted: the id may exceed a Postgres bigint. */
function parseId(written: string): Id {
  const id = BigInt(written);
  return id > MAX_ID ? MAX_ID : id;
}
