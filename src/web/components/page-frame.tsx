/** What every page is shown in: the moment, the zone of its times, the theme, and where one can go. */

import { hasScopes, type Scope, type Visitor } from '../../monitor/access/visitor-scopes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Id } from '../../store/database.ts';
import { readLastDiscoveryId } from '../../store/queries/discoveries.ts';
import { readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { type FlashCode, readFlash } from './flash-message.tsx';
import { resolveZone } from './time-format.ts';
import { fastifyCookie } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

export type PageFrame = {
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
  done: FlashCode | null;
  /** The newest discovery before the page was read: what came after it is told to the page by events. */
  seen: Id;
};

/** What of a frame is read from the database. */
type FrameData = { topics: readonly TopicRow[]; seen: Id };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every page before its handler. */
    frame: PageFrame;
  }
}

const MAX_TOPICS = 200;

/** Sets `request.frame` for the routes that are added to this server. */
export function addFrame(app: App, routeContext: RouteContext): void {
  app.addHook('preHandler', async (request) => {
    const { db } = routeContext.ctx;
    const [topics, seen] = hasScopes(request.visitor, 'read')
      ? await Promise.all([readTopics(db, { limit: MAX_TOPICS }), readLastDiscoveryId(db)])
      : [[], 0n];
    request.frame = createFrame(request, routeContext, { topics, seen });
  });
}

/** @param read left out where nothing could be read */
export function createFrame(
  request: FastifyRequest,
  { ctx }: RouteContext,
  { topics, seen }: FrameData = { topics: [], seen: 0n },
): PageFrame {
  const cookies = parseCookies(request.headers.cookie);
  // A request that was refused at the gate has no visitor yet.
  const visitor = (request.visitor as Visitor | undefined) ?? NOBODY;
  return {
    now: ctx.clock.now(),
    zone: resolveZone(cookies['zone']),
    theme: parseTheme(cookies['theme']),
    topics,
    formToken: visitor === NOBODY ? '' : request.formToken,
    visitor,
    done: readFlash(cookies),
    seen,
  };
}

const NOBODY: Visitor = { kind: 'nobody', scopes: new Set(), name: null };

/** Cookies of a request by name. */
export function parseCookies(header: string | undefined): Record<string, string | undefined> {
  return header === undefined ? {} : fastifyCookie.parse(header);
}

function parseTheme(given: string | undefined): PageFrame['theme'] {
  return given === 'light' || given === 'dark' ? given : null;
}

const FrameContext = createContext<PageFrame | undefined>(undefined);
export const FrameProvider = FrameContext.Provider;

/** The frame of the page that is being rendered. */
export function useFrame(): PageFrame {
  const frame = useContext(FrameContext);
  if (frame === undefined) throw new Error('a component of a page was rendered without its frame');
  return frame;
}

/** What a new topic takes: it is written, and its searches run at once. */
export const CREATE_TOPIC_SCOPES = ['write', 'run'] as const;

/** What is offered only to those who may do it; nothing to others, unless said `otherwise`. */
export function IfAllowed({
  scope,
  otherwise,
  children,
}: {
  scope: Scope | readonly Scope[];
  otherwise?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { visitor } = useFrame();
  return <>{hasScopes(visitor, scope) ? children : otherwise}</>;
}
