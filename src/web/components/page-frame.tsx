/** Context of every page: time, time zone, theme, topics, visitor. */

import { hasScopes, type Scope, type Visitor } from '../../monitor/access/visitor-scopes.ts';
import type { Context } from '../../monitor/context.ts';
import type { DatabaseKind } from '../../model/database-kind.ts';
import { type Mount, removeMount } from '../../model/mount.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import type { Id } from '../../store/db/database.ts';
import { readLastDiscoveryId } from '../../store/queries/discoveries.ts';
import { awaitMembers } from '../../lib/await-members.ts';
import { SERVICE_KINDS } from '../../model/closed-lists.ts';
import { readSearchNames, type SearchNames } from '../../store/queries/search-names.ts';
import { readTopics, type TopicRow } from '../../store/queries/topic-list.ts';
import { type FlashCode, readFlash } from './flash-message.tsx';
import { resolveZone } from '../../lib/display-format.ts';
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
  /** Names of services whose calls are known to cost nothing. */
  free: ReadonlySet<string>;
  /** At most 200 topics that are not removed; empty without the scope `read`. */
  topics: readonly TopicRow[];
  /** What searches are called, by slug, on pages that do not read their searches anyway. */
  searchNames: SearchNames;
  /** CSRF token of forms. */
  formToken: string;
  visitor: Visitor;
  /** Where the application is served. */
  mount: Mount;
  /** Address of the page, as at the root. */
  address: string;
  /** Of the data that the application shows. */
  kind: DatabaseKind;
  /** The last action, to be shown on this page. */
  done: FlashCode | null;
  /** The newest discovery before the page was read, 0 if there is none; later ones arrive as events. */
  seen: Id;
};

/** The part of a frame that is read from the database. */
type FrameData = Pick<PageFrame, 'free' | 'topics' | 'seen' | 'searchNames'>;

const NO_DATA: FrameData = { free: new Set(), topics: [], seen: 0n, searchNames: new Map() };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every page before its handler. */
    frame: PageFrame;
  }
}

const MAX_TOPICS = 200;
/** Others are called by their slugs. */
const MAX_SEARCH_NAMES = 1_000;
/** Pages that read their searches. */
const NAMED_PAGES: ReadonlySet<string | undefined> = new Set(['/', '/topics/:slug', '/searches/:slug']);

/** Sets `request.frame` for routes of this server. */
export function addFrame(app: App, routeContext: RouteContext): void {
  app.addHook('preHandler', async (request) => {
    const needsNames = !NAMED_PAGES.has(request.routeOptions.url);
    const read = hasScopes(request.visitor, 'read') ? await readFrame(routeContext.ctx, needsNames) : NO_DATA;
    request.frame = createFrame(request, routeContext, read);
  });
}

async function readFrame({ db, isFree }: Context, needsNames: boolean): Promise<FrameData> {
  const { topics, seen, searchNames } = await awaitMembers({
    topics: readTopics(db, { limit: MAX_TOPICS }),
    seen: readLastDiscoveryId(db.pool),
    searchNames: needsNames ? readSearchNames(db.pool, MAX_SEARCH_NAMES) : NO_DATA.searchNames,
  });
  const free = new Set<string>();
  for (const kind of SERVICE_KINDS) if (await isFree(kind)) free.add(kind);
  return { free, topics, seen, searchNames };
}

/** @param read omitted if nothing could be read */
export function createFrame(
  request: FastifyRequest,
  { ctx, mount = '' }: RouteContext,
  read: FrameData = NO_DATA,
): PageFrame {
  const cookies = parseCookies(request.headers.cookie);
  // A request that the gate refused has no visitor.
  const visitor = (request.visitor as Visitor | undefined) ?? NOBODY;
  return {
    now: ctx.clock.now(),
    zone: resolveZone(cookies['zone']),
    theme: parseTheme(cookies['theme']),
    ...read,
    formToken: visitor === NOBODY ? '' : request.formToken,
    visitor,
    mount,
    address: removeMount(mount, request.url) ?? request.url,
    kind: ctx.kind,
    done: readFlash(cookies, mount),
  };
}

const NOBODY: Visitor = { kind: 'nobody', scopes: new Set(), name: null };

/** Cookies of a request by name. */
export function parseCookies(header: string | undefined): Record<string, string | undefined> {
  return header === undefined ? {} : fastifyCookie.parse(header);
}

function parseTheme(name: string | undefined): PageFrame['theme'] {
  return name === 'light' || name === 'dark' ? name : null;
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
