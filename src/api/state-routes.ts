import type { z } from 'zod';
import { type FutureTime, parseFutureTime } from '../domain/future-time.ts';
import type { ActingContext } from '../monitor/context.ts';
import type { Scope } from '../monitor/access/visitor-scopes.ts';
import type { App } from '../monitor/http/route-types.ts';
import type { StateChange } from '../store/topics.ts';
import { operation } from './operation.ts';
import { pausedUntil } from './request-shapes.ts';

/** A topic, search, rule or channel: something that can be paused, resumed and removed. */
type StatefulThing<Params extends z.ZodObject> = {
  /** Path of one thing, with its slug as parameter. */
  path: string;
  params: Params;
  tags: string[];
  /** The changed thing. */
  reply: z.core.$ZodType;
  /** @param until the end of a pause */
  apply: (
    acting: ActingContext,
    params: z.output<Params>,
    change: StateChange,
    until?: FutureTime,
  ) => Promise<unknown>;
};

type StateRoute = {
  operationId: string;
  summary: string;
  description: string;
  /** Default: `write`. */
  scope?: readonly Scope[];
  /** Whether the body can say when a pause ends. */
  hasEnd?: boolean;
};

/** Adds those of `POST path/pause`, `POST path/resume` and `DELETE path` that `routes` names. */
export function addStateRoutes<Params extends z.ZodObject>(
  app: App,
  { path, params, tags, reply, apply }: StatefulThing<Params>,
  routes: Readonly<Partial<Record<StateChange, StateRoute>>>,
): void {
  for (const [name, { scope = 'write', hasEnd = false, ...described }] of Object.entries(routes)) {
    const change = name as StateChange; // Object.entries loses the type of keys
    app.route({
      method: change === 'remove' ? 'DELETE' : 'POST',
      url: change === 'remove' ? path : `${path}/${change}`,
      ...operation({
        scope,
        ...described,
        tags,
        params,
        ...(hasEnd ? { body: pausedUntil } : {}),
        response: { 200: reply },
      }),
      handler: ({ params: named, body, acting }) =>
        apply(acting, named as z.output<Params>, change, hasEnd ? readUntil(body) : undefined), // validated by `params`
    });
  }
}

/** The end of a pause in a body; times without a zone are UTC. */
export function readUntil(body: unknown): FutureTime | undefined {
  const until = pausedUntil.parse(body)?.until;
  return until === undefined ? undefined : parseFutureTime(until, 'UTC');
}
