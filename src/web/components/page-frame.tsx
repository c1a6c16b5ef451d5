/** Context of every page: time, time zone, theme, topics, visitor. */

import { hasScopes, type Scope, type Visitor } from '../../monitor/access/visitor-scopes.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Id } from '../../store/database.ts';
import { readLastDiscoveryId } from '../../store/queries/discoveries.ts';
import { readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { type FlashCode, readFlash } from './flash-message.tsx';
import { resolveZone } from '../../domain/display-format.ts';
import { fastifyCookie } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

export type PageFrame = {
  now: Date;
  /** IANA time zone: the visitor's, as detected by the script, or UTC. */
  zone: string;
  /** Chosen by the visitor; null follows the system. */
  theme: 'light' | 'dark' | null;
  /** At most 200 topics that are not removed; empty without the scope `read`. */
  topics: readonly TopicRow[];
  /** CSRF token of forms. */
  formToken: string;
  visitor: Visitor;
  /** The last action, to be shown on this page. */
  done: FlashCode | null;
  /** The newest discovery before the page was read; later ones arrive as events. */
  seen: Id;
};

/** The part of a frame that is read from the database. */
type FrameData = { topics: readonly TopicRow[]; seen: Id };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every page before its handler. */
    frame: PageFrame;
  }
}

const MAX_TOPICS = 200;

/** Sets `request.frame` for routes of this server. */
export function addFrame(app: App, routeContext: RouteContext): void {
  app.addHook('preHandler', async (request) => {
    const { db } = routeContext.ctx;
    const [topics, seen] = hasScopes(request.visitor, 'read')
      ? await Promise.all([readTopics(db, { limit: MAX_TOPICS }), readLastDiscoveryId(db)])
      : [[], 0n];
    request.frame = createFrame(request, routeContext, { topics, seen });
  });
}

/** @param data omitted if nothing could be read */
export function createFrame(
  request: FastifyRequest,
  { ctx }: RouteContext,
  { topics, seen }: FrameData = { topics: [], seen: 0n },
): PageFrame {
  const cookies = parseCookies(request.headers.cookie);
  // A request that the gate refused has no visitor.
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
  if (frame === undefined) throw new Error('a page component was rendered without a frame');
  return frame;
}

/** Scopes to create a topic: it is saved, and its searches run immediately. */
export const CREATE_TOPIC_SCOPES = ['write', 'run'] as const;

/** Renders its children if the visitor has the scopes, or else `otherwise`. */
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
