import type { z } from 'zod';
import type { ActingContext } from '../monitor/context.ts';
import type { Scope } from '../monitor/access/visitor-scopes.ts';
import type { App } from '../monitor/http/route-types.ts';
import type { StateChange } from '../store/topics.ts';
import { emptyQuery } from './pagination.ts';

/** A thing that is paused, resumed and removed: a topic, a search, a rule, a channel. */
type StatefulThing<Params extends z.ZodObject> = {
  /** Of one thing, with its slug as parameter. */
  path: string;
  params: Params;
  tags: string[];
  /** What is returned: the thing, as the change left it. */
  reply: z.core.$ZodType;
  apply: (acting: ActingContext, params: z.output<Params>, change: StateChange) => Promise<unknown>;
};

type StateRoute = {
  operationId: string;
  summary: string;
  description: string;
  /** `write` where left out. */
  scope?: readonly Scope[];
};

/** Adds `POST path/pause`, `POST path/resume` and `DELETE path`, as far as they are named. */
export function addStateRoutes<Params extends z.ZodObject>(
  app: App,
  { path, params, tags, reply, apply }: StatefulThing<Params>,
  routes: Readonly<Partial<Record<StateChange, StateRoute>>>,
): void {
  for (const [name, { scope = 'write', ...described }] of Object.entries(routes)) {
    const change = name as StateChange; // Object.entries forgets the keys
    app.route({
      method: change === 'remove' ? 'DELETE' : 'POST',
      url: change === 'remove' ? path : `${path}/${change}`,
      config: { scope },
      schema: { ...described, tags, params, querystring: emptyQuery, response: { 200: reply } },
      handler: ({ params: named, acting }) => apply(acting, named as z.output<Params>, change), // what `params` reads
    });
  }
}
