/**
 * What is new since the last visit, in a cookie: the last discovery that there was when a visit began, and the last
 * that there is now. A visit ends when nothing was looked at for half an hour. Nothing of it is kept on the server.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DAY, MINUTE, SECOND } from '../../../engine/clock.ts';
import type { Id } from '../../../store/database.ts';
import { cookiesOf } from '../kit/frame.ts';

/** A discovery that was the last of all. */
type Point = { id: Id; at: Date };

export type Visit = {
  /** What came behind it is new to the visitor; null at the first visit. */
  since: Point | null;
};

const COOKIE = 'visit';
const ENDS_MS = 30 * MINUTE;
const KEPT_MS = 400 * DAY;

/** `sinceId.sinceAt.lastId.lastAt`, times in seconds; `sinceId` is `-` at the first visit. */
const WRITTEN = /^(\d{1,19}|-)\.(\d{1,12})\.(\d{1,19})\.(\d{1,12})$/;

/** The greatest bigint of Postgres: a cookie may hold anything. */
const ID_MAX = 2n ** 63n - 1n;

/** @param last the newest discovery of all; zero where there is none */
export function visitOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { now, last }: { now: Date; last: Id },
): Visit {
  const found = WRITTEN.exec(cookiesOf(request.headers.cookie)[COOKIE] ?? '');
  const visit = found === null ? { since: null } : continued(found, now);
  const { since } = visit;
  const seconds = Math.floor(now.getTime() / SECOND);
  const before = since === null ? '-.0' : `${since.id}.${Math.floor(since.at.getTime() / SECOND)}`;
  void reply.setCookie(COOKIE, `${before}.${last}.${seconds}`, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge: KEPT_MS / SECOND,
  });
  return visit;
}

function continued(
  [, sinceId = '-', sinceAt = '0', lastId = '0', lastAt = '0']: RegExpExecArray,
  now: Date,
): Visit {
  const last = { id: idIn(lastId), at: new Date(Number(lastAt) * SECOND) };
  if (now.getTime() - last.at.getTime() > ENDS_MS) return { since: last };
  return { since: sinceId === '-' ? null : { id: idIn(sinceId), at: new Date(Number(sinceAt) * SECOND) } };
}

function idIn(written: string): Id {
  const id = BigInt(written);
  return id > ID_MAX ? ID_MAX : id;
}
