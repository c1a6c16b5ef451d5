/** What every page is shown in: the moment, the zone of its times, the theme, and where one can go. */
import { fastifyCookie } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { mayDo, type Visitor } from '../../../monitor/access/scopes.ts';
import type { Id } from '../../../store/database.ts';
import { lastDiscoveryId } from '../../../store/reads/discoveries.ts';
import { readTopics, type TopicRow } from '../../../store/reads/topics.ts';
import type { App, WebHome } from '../../routes.ts';
import { type DoneCode, doneIn } from './done.tsx';
import { zoneNamed } from './zone.ts';

export type Frame = {
  now: Date;
  /** IANA name of the zone in which times are shown: the visitor's, as the script found it, or else UTC. */
  zone: string;
  /** What the visitor chose; null follows the system. */
  theme: 'light' | 'dark' | null;
  /** Topics that are not removed, by slug, 200 at most; empty where the visitor may not read. */
  topics: readonly TopicRow[];
  /** Goes with every form, so that no other site can send one. */
  formToken: string;
  visitor: Visitor;
  /** What the visitor has just done, to be said on this page. */
  done: DoneCode | null;
  /** The newest discovery before the page was read: what came after it is told to the page by events. */
  seen: Id;
};

/** What of a frame is read from the database. */
type Read = { topics: readonly TopicRow[]; seen: Id };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every page before its handler. */
    frame: Frame;
  }
}

const MOST_TOPICS = 200;

/** Sets `request.frame` for the routes that are added to this server. */
export function addFrame(app: App, home: WebHome): void {
  app.addHook('preHandler', async (request) => {
    const { db } = home.ctx;
    const [topics, seen] = mayDo(request.visitor, 'read')
      ? await Promise.all([readTopics(db, { limit: MOST_TOPICS }), lastDiscoveryId(db)])
      : [[], 0n];
    request.frame = frameOf(request, home, { topics, seen });
  });
}

/** @param read left out where nothing could be read */
export function frameOf(
  request: FastifyRequest,
  { ctx }: WebHome,
  { topics, seen }: Read = { topics: [], seen: 0n },
): Frame {
  const cookies = cookiesOf(request.headers.cookie);
  // A request that was refused at the gate has no visitor yet.
  const visitor = (request.visitor as Visitor | undefined) ?? NOBODY;
  return {
    now: ctx.clock.now(),
    zone: zoneNamed(cookies['zone']),
    theme: themeNamed(cookies['theme']),
    topics,
    formToken: visitor === NOBODY ? '' : request.formToken,
    visitor,
    done: doneIn(cookies),
    seen,
  };
}

const NOBODY: Visitor = { kind: 'nobody', scopes: new Set(), name: null };

/** Cookies of a request by name. */
export function cookiesOf(header: string | undefined): Record<string, string | undefined> {
  return header === undefined ? {} : fastifyCookie.parse(header);
}

function themeNamed(given: string | undefined): Frame['theme'] {
  return given === 'light' || given === 'dark' ? given : null;
}

const FrameContext = createContext<Frame | undefined>(undefined);
export const FrameProvider = FrameContext.Provider;

/** The frame of the page that is being rendered. */
export function useFrame(): Frame {
  const frame = useContext(FrameContext);
  if (frame === undefined) throw new Error('a component of a page was rendered without its frame');
  return frame;
}
