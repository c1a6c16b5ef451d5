/** Context of every page: time, time zone, theme, topics, visitor. */

import { hasScopes, type Scope, type Visitor } from '../../monitor/access/visitor-scopes.ts';
import type { Context } from '../../monitor/context.ts';
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { findScope, isSimulatedOnly } from '../../monitor/topics/find-by-slug.ts';
import { findMessageScope, readDelivery, readRule } from '../../store/alerts/alert-queries.ts';
import type { Database, Id } from '../../store/database.ts';
import type { DataScope } from '../../store/queries/data-scope.ts';
import { SERVICE_KINDS } from '../../store/services.ts';
import { readPageStart } from '../../store/queries/page-start.ts';
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
  /** The side of the data that the page is about. */

  /** The page is about one topic, search, item, rule or message, which decides on the side. */
  named: boolean;
  /** Which sides have topics. */
  sides: Readonly<Record<Data, boolean>>;
  /** Names of services whose calls are known to cost nothing. */
  free: ReadonlySet<string>;
  /** At most 200 topics of this side that are not removed; empty without the scope `read`. */
  topics: readonly TopicRow[];
  /** CSRF token of forms. */
  formToken: string;
  visitor: Visitor;
  /** The last action, to be shown on this page. */
  done: FlashCode | null;
  /** The newest discovery before the page was read, 0 if there is none; later ones arrive as events. */
  seen: Id;
};

/** The part of a frame that is read from the database. */
type FrameData = Pick<PageFrame, 'data' | 'named' | 'sides' | 'free' | 'topics' | 'seen'>;

const NO_DATA: FrameData = {
  named: false,
  sides: { real: false, simulated: false },
  free: new Set(),
  topics: [],
  seen: 0n,
};

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
    const read = hasScopes(request.visitor, 'read') ? await readFrame(routeContext.ctx, request) : NO_DATA;
    request.frame = createFrame(request, routeContext, read);
  });
}

/**
 * A page of a topic, search, rule or message is about its side. Otherwise the address chooses the side; without a choice, it is
 * that which exists, and the real one if both do.
 */
async function readFrame(
  { db, isFree }: Context,
  { url, routeOptions, params }: FastifyRequest,
): Promise<FrameData> {
  const chosen = new URLSearchParams(url.split('?')[1]).get('simulated');
  const route = routeOptions.url ?? '';
  const path = params as Record<string, unknown>;
  const { sides, named: ofSlug, seen } = await readPageStart(db, findNamedSlug(route, path));
  const simulated = chosen === null ? isSimulatedOnly(sides) : chosen === '1' || chosen === 'true';
  const named = ofSlug ?? (await findSideOfAlert(db, route, path));
  const data = named ?? sideOf({ simulated });
  const topics = await readTopics(db, { limit: MAX_TOPICS });
  const free = new Set<string>();
  for (const kind of SERVICE_KINDS) if (await isFree(kind)) free.add(kind);
  return { named: named !== undefined, sides, free, topics, seen };
}

/** The topic or search that a path names. */
function findNamedSlug(
  route: string,
  { slug }: Record<string, unknown>,
): { topic?: string; search?: string } {
  if (typeof slug !== 'string') return {};
  if (route.startsWith('/topics/')) return { topic: slug };
  return route.startsWith('/searches/') ? { search: slug } : {};
}

/** The side of the rule or message that a path names; undefined if it names none, or none that exists. */
async function findSideOfAlert(
  db: Database,
  route: string,
  { slug, id }: Record<string, unknown>,
): Promise<Data | undefined> {
  if (typeof slug === 'string' && route.startsWith('/alerts/rules/'))
    return (await readRule(db, slug)) && findSideOfRule(db, slug);
  if (typeof id !== 'bigint' || !route.startsWith('/alerts/deliveries/')) return undefined;
  const delivery = await readDelivery(db, id);
  return delivery && findSideOfRule(db, delivery.rule);
}

async function findSideOfRule(db: Database, slug: string): Promise<Data> {
  return (await findScope(db, await findMessageScope(db, slug))).data;
}

/** A page about one topic, search or item is about its side, whatever the address chooses. @param row the topic, search or item */
export async function showSideOf(
  { frame }: FastifyRequest,
  db: Database,
  row: { simulated: boolean },
): Promise<Data> {
  const data = sideOf(row);
  frame.named = true;
  if (frame.data !== data) {
    frame.data = data;
    frame.topics = await readTopics(db, { limit: MAX_TOPICS });
  }
  return data;
}

/** The scope of a page that a query may narrow. @throws Refused `not_found` */
export async function findPageScope(
  request: FastifyRequest,
  db: Database,
  named: { topic?: string | undefined; search?: string | undefined },
): Promise<DataScope> {
  const scope = await findScope(db, { ...named, simulated: request.frame.data === 'simulated' });
  if ((named.topic ?? named.search) !== undefined)
    await showSideOf(request, db, { simulated: scope.data === 'simulated' });
  return scope;
}

/** @param data omitted if nothing could be read */
export function createFrame(
  request: FastifyRequest,
  { ctx }: RouteContext,
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
    done: readFlash(cookies),
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
