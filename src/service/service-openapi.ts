/** The service described: OpenAPI 3.1, made of the schemas that its responses are checked with. */

import { type Dialect, wireName } from '../protocol/dialect.ts';
import {
  internalErrorBody,
  tooManyRequestsBody,
  unauthorizedBody,
  validationBody,
} from '../protocol/error-body.ts';
import { servedAiResponse, servedMicroblogResponse } from '../protocol/extensions.ts';
import { flatAiResponse, flatMicroblogResponse } from '../protocol/flat-response.ts';
import { toWire } from '../protocol/wire.ts';
import { buildServedPaths } from './dialect-choice.ts';
import { SERVICE_AI_REQUESTS, serviceMicroblogRequest } from './service-requests.ts';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

type JsonObject = { [name: string]: unknown };

const REQUEST_EXAMPLES = {
  ai: {
    prompt: 'tidal power',
    tools: ['Web Search', 'Discussion Board Search', 'Microblog Search'],
    model: 'NOVA',
    date_filter: 'PAST_WEEK',
    streaming: false,
  },
  microblog: { prompt: 'harbour festival', model: 'NOVA' },
};

/** @param bases base addresses that answer: `/`, `/sandbox`, `/live` */
function describeService(
  dialects: readonly Dialect[],
  { version, webGroup, bases }: { version: string; webGroup: boolean; bases: readonly string[] },
): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'strandline search service',
      version,
      description:
        'The AI search specification, in the specification’s own words (neutral), in those of the hosted service of 2025 (named), and as it has answered since 2026 (named-2026). Its public clients of 2026 get the answers of named-2026 at the paths of named, too. Answers with the header X-Sandbox are invented.',
    },
    servers: bases.map((url) => ({ url })),
    security: [{ key: [] }],
    paths: Object.assign({}, ...dialects.map((dialect) => describePaths(dialect, webGroup))) as JsonObject, // each is one
    components: {
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The key itself; a key behind Bearer is read as well.',
        },
      },
    },
  };
}

function describePaths(dialect: Dialect, webGroup: boolean): JsonObject {
  const at = buildServedPaths(dialect);
  const grouped = webGroup ? servedAiResponse : servedAiResponse.omit({ web_search_results: true });
  const isFlat = dialect.answers === 'flat';
  const ai = describeOperation(dialect, 'aiSearch', 'AI search over several sources', {
    request: SERVICE_AI_REQUESTS[dialect.answers],
    answer: isFlat ? flatAiResponse : grouped,
    example: REQUEST_EXAMPLES.ai,
  });
  const microblog = describeOperation(dialect, 'microblogSearch', 'Microblog posts that match a prompt', {
    request: serviceMicroblogRequest,
    answer: isFlat ? flatMicroblogResponse : servedMicroblogResponse,
    example: REQUEST_EXAMPLES.microblog,
  });
  return { [at.ai]: { post: ai }, [at.microblog]: { post: microblog } };
}

function describeOperation(
  dialect: Dialect,
  id: string,
  summary: string,
  { request, answer, example }: { request: z.core.$ZodType; answer: z.core.$ZodType; example: JsonObject },
): JsonObject {
  const streamed = {
    'text/event-stream': {
      schema: { type: 'string', description: 'With streaming: unnamed server-sent events, data: {JSON}.' },
    },
  };
  return {
    operationId: `${id}_${dialect.name}`,
    tags: [dialect.name],
    summary,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: toDialectSchema(dialect, request),
          example: toWire(dialect, 'request', example),
        },
      },
    },
    responses: {
      200: {
        description: 'The answer.',
        headers: {
          'X-Request-Id': describeHeader('The id of the request, for the log.'),
          'X-Sandbox': describeHeader('`true` where anything in the answer is invented.'),
        },
        content: {
          'application/json': { schema: toDialectSchema(dialect, answer) },
          ...(id === 'aiSearch' && streamed),
        },
      },
      ...ERROR_RESPONSES,
    },
  };
}

const ERROR_RESPONSES: JsonObject = {
  401: describeErrorResponse('The key is missing or wrong.', unauthorizedBody()),
  413: describeErrorResponse('The body is over 64 kB.', { detail: 'Request Entity Too Large' }),
  422: describeErrorResponse(
    'The request is not valid.',
    validationBody([{ loc: ['body', 'prompt'], msg: 'Field required', type: 'missing' }]),
  ),
  429: {
    ...describeErrorResponse(
      'More calls than the key may make; wait as long as Retry-After says.',
      tooManyRequestsBody(),
    ),
    headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } },
  },
  500: describeErrorResponse('Our fault.', internalErrorBody()),
};

function describeErrorResponse(description: string, example: JsonObject): JsonObject {
  const schema = {
    type: 'object',
    properties: { detail: { type: ['object', 'string', 'array'] } },
    required: ['detail'],
  };
  return { description, content: { 'application/json': { schema, example } } };
}

function describeHeader(description: string): JsonObject {
  return { schema: { type: 'string' }, description };
}

function toDialectSchema(dialect: Dialect, schema: z.core.$ZodType): unknown {
  // `input` of answers too: that leaves room for members to come. A JSON object, whatever its type says.
  const { $schema: _, $defs: __, ...written } = z.toJSONSchema(schema, { io: 'input' }) as JsonObject;
  return translateSchema(dialect, written);
}

/** A JSON schema with its members and the labels of tools as a dialect spells them. */
function translateSchema(dialect: Dialect, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => translateSchema(dialect, part));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return {}; // only "any JSON value" is referred to
  return Object.fromEntries(
    Object.entries(schema).map(([name, part]: [string, unknown]) => {
      if (name === 'properties' && typeof part === 'object' && part !== null) {
        const members = Object.entries(part).map(([member, inside]: [string, unknown]) => [
          nameMember(dialect, member),
          translateSchema(dialect, inside),
        ]);
        return [name, Object.fromEntries(members) as JsonObject];
      }
      if (name === 'required' && Array.isArray(part)) {
        return [name, part.map((member) => wireName(dialect, String(member)))];
      }
      if (name === 'enum' && Array.isArray(part)) {
        return [name, part.map((word: unknown) => dialect.labelOf.get(String(word)) ?? word)];
      }
      return [name, translateSchema(dialect, part)];
    }),
  );
}

/** A flat group has its own name. */
function nameMember(dialect: Dialect, member: string): string {
  const source = dialect.answers === 'flat' ? dialect.sourceOf.get(member) : undefined;
  return (source && dialect.groupOf.get(source)) ?? wireName(dialect, member);
}

/**
 * The description, and in a few words what this is. Needs no key.
 * @param bases base addresses that answer: `/`, `/sandbox`, `/live`
 * @returns what clients get at `/`
 */
export function registerDescription(
  app: FastifyInstance,
  { version = 'unknown', webGroup = false }: { version?: string; webGroup?: boolean },
  dialects: readonly Dialect[],
  bases: readonly string[],
): () => JsonObject {
  // Made at the first request, because it takes longer than the rest of the start.
  let description: JsonObject | undefined;
  app.get('/openapi.json', () => (description ??= describeService(dialects, { version, webGroup, bases })));
  return () => ({
    name: 'strandline search service',
    version,
    about: 'An implementation of the AI search specification over public sources, or a simulation of them.',
    operations: dialects.flatMap((dialect) => Object.values(buildServedPaths(dialect))),
    below: bases,
    description: '/openapi.json',
    health: ['/healthz', '/healthz/sources'],
  });
}
