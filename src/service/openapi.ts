/** What the service answers, as OpenAPI 3.1, made of the schemas that its answers are checked with. */
import { z } from 'zod';
import { type Dialect, paths, wireName } from '../contract/dialect.ts';
import { TOOLS } from '../contract/enumerations.ts';
import {
  internalErrorBody,
  tooManyRequestsBody,
  unauthorizedBody,
  validationBody,
} from '../contract/error-bodies.ts';
import { servedAiAnswer, servedMicroblogAnswer } from '../contract/extras.ts';
import { toWire } from '../contract/wire.ts';
import { boundedAiSearchRequest, boundedMicroblogSearchRequest } from './request.ts';

type Json = { [name: string]: unknown };

const EXAMPLES = {
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
export function describeService(
  dialects: readonly Dialect[],
  { version, webGroup, bases }: { version: string; webGroup: boolean; bases: readonly string[] },
): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'strandline search service',
      version,
      description:
        'The AI search specification, in the specification’s own words (neutral) and in those of the hosted service (named). Answers with the header X-Sandbox are invented.',
    },
    servers: bases.map((url) => ({ url })),
    security: [{ key: [] }],
    paths: Object.assign({}, ...dialects.map((dialect) => pathsOf(dialect, webGroup))) as Json, // each is one
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

function pathsOf(dialect: Dialect, webGroup: boolean): Json {
  const at = paths(dialect);
  const answer = webGroup ? servedAiAnswer : servedAiAnswer.omit({ web_search_results: true });
  const ai = operation(dialect, 'aiSearch', 'AI search over several sources', {
    request: boundedAiSearchRequest,
    answer,
    example: EXAMPLES.ai,
  });
  const microblog = operation(dialect, 'microblogSearch', 'Microblog posts that match a prompt', {
    request: boundedMicroblogSearchRequest,
    answer: servedMicroblogAnswer,
    example: EXAMPLES.microblog,
  });
  return { [at.ai]: { post: ai }, [at.microblog]: { post: microblog } };
}

function operation(
  dialect: Dialect,
  id: string,
  summary: string,
  { request, answer, example }: { request: z.core.$ZodType; answer: z.core.$ZodType; example: Json },
): Json {
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
          schema: schemaOf(dialect, request),
          example: toWire(dialect, 'request', example),
        },
      },
    },
    responses: {
      200: {
        description: 'The answer.',
        headers: {
          'X-Request-Id': header('The id of the request, for the log.'),
          'X-Sandbox': header('`true` where anything in the answer is invented.'),
        },
        content: {
          'application/json': { schema: schemaOf(dialect, answer) },
          ...(id === 'aiSearch' && streamed),
        },
      },
      ...REFUSALS,
    },
  };
}

const REFUSALS: Json = {
  401: refusal('The key is missing or wrong.', unauthorizedBody()),
  413: refusal('The body is over 64 kB.', { detail: 'Request Entity Too Large' }),
  422: refusal(
    'The request is not valid.',
    validationBody([{ loc: ['body', 'prompt'], msg: 'Field required', type: 'missing' }]),
  ),
  429: {
    ...refusal('More calls than the key may make; wait as long as Retry-After says.', tooManyRequestsBody()),
    headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } },
  },
  500: refusal('Our fault.', internalErrorBody()),
};

function refusal(description: string, example: Json): Json {
  const schema = {
    type: 'object',
    properties: { detail: { type: ['object', 'string', 'array'] } },
    required: ['detail'],
  };
  return { description, content: { 'application/json': { schema, example } } };
}

function header(description: string): Json {
  return { schema: { type: 'string' }, description };
}

function schemaOf(dialect: Dialect, schema: z.core.$ZodType): unknown {
  // `input` of answers too: that leaves room for members to come. A JSON object, whatever its type says.
  const { $schema: _, $defs: __, ...written } = z.toJSONSchema(schema, { io: 'input' }) as Json;
  return inWordsOf(dialect, written);
}

/** A JSON schema with its members and the labels of tools as a dialect spells them. */
function inWordsOf(dialect: Dialect, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => inWordsOf(dialect, part));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return {}; // only "any JSON value" is referred to
  return Object.fromEntries(
    Object.entries(schema).map(([name, part]: [string, unknown]) => {
      if (name === 'properties' && typeof part === 'object' && part !== null) {
        const members = Object.entries(part).map(([member, inside]: [string, unknown]) => [
          wireName(dialect, member),
          inWordsOf(dialect, inside),
        ]);
        return [name, Object.fromEntries(members) as Json];
      }
      if (name === 'required' && Array.isArray(part)) {
        return [name, part.map((member) => wireName(dialect, String(member)))];
      }
      if (name === 'enum' && Array.isArray(part)) {
        return [name, part.map((word: unknown) => labelled(dialect, word))];
      }
      return [name, inWordsOf(dialect, part)];
    }),
  );
}

function labelled(dialect: Dialect, word: unknown): unknown {
  const tool = TOOLS.find((one) => one === word);
  return tool === undefined ? word : dialect.labelOf.get(tool);
}
