/** The document of the API (OpenAPI 3.1), made from the routes themselves: `/openapi.json`. */
import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { readMeanings } from '../../store/reads/contract.ts';
import { VERSION } from '../../version.ts';
import type { App, WebHome } from '../routes.ts';
import { finish } from './document.ts';
import { failuresOf } from './failures.ts';
import { keyHeaders } from './idempotency.ts';

/**
 * Collects every route of `/api` that is declared after it. `app.swagger()` gives the document once the server is ready;
 * it is made once and must not be changed.
 */
export async function documentApi(app: App, { ctx }: WebHome): Promise<void> {
  const meanings = await readMeanings(ctx.db);
  const toSchemas = createJsonSchemaTransform({ zodToJsonConfig: { override: keepExamples } });
  const withComponents = createJsonSchemaTransformObject({ zodToJsonConfig: { override: keepExamples } });
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'strandline',
        version: VERSION,
        description:
          'Topics, what was found for them, and how it goes. Ids are strings, times ISO 8601 in UTC, counters null where unknown. A list gives next_cursor, which goes into cursor for its next page.',
      },
      servers: [{ url: '/' }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: (input) => {
      const { route, url } = input;
      if (!url.startsWith('/api/')) return { schema: { ...input.schema, hide: true }, url };
      const scope = route.config?.scope;
      const schema = {
        ...input.schema,
        ...(route.config?.idempotent === undefined ? {} : { headers: keyHeaders }),
        response: Object.assign(failuresOf(route), input.schema.response),
        'x-scope': scope,
        ...(scope === 'open' ? {} : { security: [{ bearer: [] }] }),
      };
      return toSchemas({ ...input, schema });
    },
    transformObject: (input) => finish(withComponents(input), meanings),
  });
}

/** zod leaves examples out where what is read becomes something else; ours are always of what is sent. */
function keepExamples({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined) Object.assign(jsonSchema, { examples });
}

export function documentRoutes(app: App): void {
  app.get('/openapi.json', { config: { scope: 'read' }, schema: { hide: true } }, () => app.swagger());
}
