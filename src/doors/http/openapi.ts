/** The document of the API (OpenAPI 3.1), made from the routes themselves: `/openapi.json`. */
import swagger from '@fastify/swagger';
import type { RouteOptions } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readMeanings } from '../../store/reads/contract.ts';
import { VERSION } from '../../version.ts';
import { toJson } from '../json.ts';
import type { App, WebHome } from '../routes.ts';
import { finish } from './document.ts';
import { keyHeaders } from './idempotency.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Request headers that the handler reads, for the document. */
    reads?: z.ZodObject;
  }
}

const DESCRIPTION = `Topics that strandline watches, what it found for them, and how its work goes.

Ids are strings, times ISO 8601 in UTC, counters null where unknown. A list returns \`next_cursor\`, which goes into
\`cursor\` for the next page, with the same filters. Failures are problem details (RFC 9457); \`type\` is for programs.

Expect new members in replies and new values in their enumerations; requests are strict. Every GET also answers HEAD.
A method that a path does not have gets 405, with \`Allow\`.`;

const TAGS: readonly { name: string; description: string }[] = [
  { name: 'topics', description: 'What is watched: a topic has saved searches.' },
  { name: 'searches', description: 'Saved searches: what is asked, of which service, and when.' },
  { name: 'runs', description: 'Executions of searches, their paid calls, and the responses that are kept.' },
  { name: 'status', description: 'Health of the database, the queue, workers and services.' },
  { name: 'find', description: 'Full-text search over everything that was found.' },
  { name: 'posts', description: 'Posts, and their counters over time.' },
  { name: 'authors', description: 'Authors of posts, and their counters over time.' },
  { name: 'links', description: 'Links, the searches that found them, and their ranks.' },
  { name: 'completions', description: 'Texts that the AI of a service wrote, and what they claim.' },
  { name: 'discoveries', description: 'What runs saw for the first time: as a list, a feed and events.' },
  { name: 'trends', description: 'Volume, spikes, growth, and what rises.' },
  { name: 'exports', description: 'All rows of a kind as a file.' },
  { name: 'alerts', description: 'Rules decide what is sent, channels where, deliveries are the messages.' },
  { name: 'tokens', description: 'Tokens of the API and the dashboard.' },
  { name: 'audit log', description: 'Who created, changed or removed what.' },
  { name: 'sql', description: 'Statements over the SQL contract.' },
];

/**
 * Collects every route of `/api` that is declared after it. `app.swagger()` gives the document once the server is ready;
 * it is made once and must not be changed.
 */
export async function documentApi(app: App, { ctx }: WebHome): Promise<void> {
  const meanings = await readMeanings(ctx.db);
  const routes = new Map<unknown, RouteOptions>();
  const toSchemas = createJsonSchemaTransform({ zodToJsonConfig: { override } });
  const withComponents = createJsonSchemaTransformObject({ zodToJsonConfig: { override } });
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'strandline',
        version: VERSION,
        summary: 'Scheduled monitoring of topics, with their history.',
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: [...TAGS],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A token, such as `st_...`.' },
        },
      },
    },
    transform: (input) => {
      const { route, url } = input;
      if (!url.startsWith('/api/')) return { schema: { ...input.schema, hide: true }, url };
      const { scope, idempotent, reads } = route.config ?? {};
      if (route.method !== 'HEAD') routes.set(route.schema?.operationId, route);
      const headers = idempotent === undefined ? reads : keyHeaders;
      const schema = {
        ...input.schema,
        ...(headers === undefined ? {} : { headers }),
        'x-scope': scope,
        ...(scope === 'open' ? {} : { security: [{ bearer: [] }] }),
      };
      return toSchemas({ ...input, schema });
    },
    transformObject: (input) => finish(withComponents(input), { meanings, routes }),
  });
}

type Made = { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema };

function override({ zodSchema, jsonSchema }: Made): void {
  // zod leaves examples out where what is read becomes something else; ours are always of what is sent.
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined) Object.assign(jsonSchema, { examples });
  // Only a strict object is closed: members may come to any other.
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined)
    delete jsonSchema.additionalProperties;
}

/** Public, as the program is: it says nothing of what was found, or of who may see it. */
export function documentRoutes(app: App): void {
  let document: string | undefined;
  app.get('/openapi.json', { config: { scope: 'open' }, schema: { hide: true } }, (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .serializer(String)
      .send((document ??= toJson(app.swagger()))),
  );
}
