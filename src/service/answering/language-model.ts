/** A client for an OpenAI-compatible language model: one prompt, one response; pauses after repeated failures. */

import { tryParseJson } from '../../lib/json-values.ts';
import { trimEndSlashes } from '../../model/links/link.ts';
import { MINUTE } from '../../lib/time.ts';
import type { ModelPurpose } from '../../model/model-use.ts';
import type { Clock } from '../../platform/clock.ts';
import { findNetworkCode } from '../../platform/network.ts';
import { retryAfterMs } from '../../protocol/retry-after.ts';
import { readLimitedBody } from '../sources/resilience/http-request.ts';
import { request } from 'undici';
import { z } from 'zod';

export type LanguageModel = {
  /** The configured model name; for logs. */
  name: string;
  /**
   * @returns the raw text of the response, which may not be JSON
   * @throws ModelFailed; or the signal's reason if it aborts
   */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<string>;
};

export type ModelQuestion = {
  system: string;
  user: string;
  /** What the response is for; names the schema too. */
  purpose: ModelPurpose;
  /** JSON schema of the response, limited to what every strict server supports. */
  schema: Readonly<Record<string, unknown>>;
  /** Receives what a response cost, if the server says so; also of a response that cannot be used. */
  onTokens?: (tokens: { input: number; output: number }) => void;
};

type ModelFailure =
  | 'no_answer'
  | 'status'
  | 'too_large'
  | 'unreadable'
  | 'refused'
  | 'empty'
  | 'resting'
  | 'used_up'
  | 'uncounted';

/** The message contains nothing of the response, the prompt, the address or the key. */
export class ModelFailed extends Error {
  readonly reason: ModelFailure;
  /** HTTP status, or network error code (`ECONNREFUSED`), if that is the reason. */
  readonly status: number | string | undefined;
  /** The header `Retry-After` of a response with a status other than 200. */
  readonly retryAfter: string | null;

  constructor(reason: ModelFailure, status?: number | string, retryAfter: string | null = null) {
    super(status === undefined ? reason : `${reason} ${status}`);
    this.name = 'ModelFailed';
    this.reason = reason;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const FAILURE_TEXTS: Readonly<Record<ModelFailure, string>> = {
  no_answer: 'did not respond',
  status: 'responded with an error',
  too_large: 'returned too much',
  unreadable: 'returned something else than a completion',
  refused: 'refused',
  empty: 'returned nothing',
  resting: 'is paused after failures',
  used_up: 'has used up its requests of the day',
  uncounted: 'was not asked, since its requests cannot be counted now',
};

/** The end of a sentence about the model: `responded with an error (HTTP 500)`. @throws any error that is no failure of a model */
export function describeModelFailure(error: unknown): string {
  if (!(error instanceof ModelFailed)) throw error;
  const { reason, status } = error;
  const detail = status === undefined ? '' : ` (${typeof status === 'number' ? `HTTP ${status}` : status})`;
  return `${FAILURE_TEXTS[reason]}${detail}`;
}

/** Maximum response size in bytes; a completion has a few thousand. */
const MAX_RESPONSE_BYTES = 500_000;
/** Low, so that the same sources give similar completions. */
const TEMPERATURE = 0.1;
/** Ways to request JSON, strictest first. */
const RESPONSE_FORMATS = ['json_schema', 'json_object', 'text'] as const;
/** Parameters that a server may refuse. */
type RequestForm = { format: (typeof RESPONSE_FORMATS)[number]; hasTemperature: boolean };
/** Of a server that refuses parameters: its request is invalid, or cannot be processed. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 422]);
/** Of the response of a server that refuses parameters, for the name of the refused one. */
const MAX_REFUSAL_BYTES = 20_000;

const chatResponse = z.object({
  choices: z.array(
    z.object({
      message: z.object({
        content: z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).nullish(),
        refusal: z.string().nullish(),
      }),
    }),
  ),
  usage: z
    .object({ prompt_tokens: z.int().nonnegative(), completion_tokens: z.int().nonnegative() })
    .nullish()
    .catch(null),
});

/**
 * @param settings.baseUrl including the version: `https://models.example/v1`; redirects are not followed
 * @param settings.apiKey sent as a bearer token; undefined: none is sent
 */
export function createLanguageModel(settings: {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
}): LanguageModel {
  const url = new URL(`${trimEndSlashes(settings.baseUrl)}/chat/completions`);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` }),
  };
  // What the server accepted last, remembered until restart.
  let accepted: RequestForm = { format: 'json_schema', hasTemperature: true };

  async function post(form: RequestForm, question: ModelQuestion, signal: AbortSignal) {
    const body = JSON.stringify(buildRequestBody(settings.model, form, question));
    const response = await request(url, { method: 'POST', headers, body, signal });
    const { statusCode: status } = response;
    if (status === 200) {
      const text = await readLimitedBody(response.body, MAX_RESPONSE_BYTES);
      if (text === undefined) throw new ModelFailed('too_large');
      return { status, text };
    }
    if (REFUSING_STATUSES.has(status))
      return { status, text: (await readLimitedBody(response.body, MAX_REFUSAL_BYTES)) ?? '' };
    response.body.on('error', () => {}).destroy();
    const retryAfter = response.headers['retry-after'];
    throw new ModelFailed('status', status, typeof retryAfter === 'string' ? retryAfter : null);
  }

  return {
    name: settings.model,
    async ask(question, signal) {
      try {
        let form: RequestForm | undefined = accepted;
        for (;;) {
          const { status, text } = await post(form, question, signal);
          if (status === 200) {
            accepted = form;
            return readContent(text, question);
          }
          form = dropRefused(form, text);
          if (form === undefined) throw new ModelFailed('status', status);
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ModelFailed) throw error;
        throw new ModelFailed('no_answer', findNetworkCode(error));
      }
    },
  };
}

/** The form without the parameter that a refusal names, or else with the next format; undefined if nothing can be dropped. */
function dropRefused(form: RequestForm, refusal: string): RequestForm | undefined {
  if (form.hasTemperature && /temperature/i.test(refusal)) return { ...form, hasTemperature: false };
  const next = RESPONSE_FORMATS[RESPONSE_FORMATS.indexOf(form.format) + 1];
  // A server that refuses both JSON formats may refuse a temperature too.
  return next && { format: next, hasTemperature: form.hasTemperature && next !== 'text' };
}

function buildRequestBody(
  model: string,
  { format, hasTemperature }: RequestForm,
  { system, user, schema, purpose }: ModelQuestion,
) {
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ...(hasTemperature && { temperature: TEMPERATURE }),
    ...(format !== 'text' && {
      response_format: {
        type: format,
        ...(format === 'json_schema' && { json_schema: { name: purpose, strict: true, schema } }),
      },
    }),
  };
}

/** The JSON schema of an object in the form that strict servers demand: all members required, no others allowed. */
export function strictObject(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** @throws ModelFailed */
function readContent(text: string, { onTokens }: ModelQuestion): string {
  const parsed = chatResponse.safeParse(tryParseJson(text.replace(/^\uFEFF/, '')));
  if (!parsed.success) throw new ModelFailed('unreadable');
  const { choices, usage } = parsed.data;
  if (usage) onTokens?.({ input: usage.prompt_tokens, output: usage.completion_tokens });
  const message = choices[0]?.message;
  if (message === undefined) throw new ModelFailed('empty');
  if (typeof message.refusal === 'string' && message.refusal !== '') throw new ModelFailed('refused');
  const { content } = message;
  const joined = Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : content;
  if (joined === undefined || joined === null || joined.trim() === '') throw new ModelFailed('empty');
  return joined;
}

/** Consecutive failures after which the model is paused, so that responses do not wait for it. */
export const MAX_MODEL_FAILURES = 3;
export const MODEL_REST_MS = MINUTE;

/**
 * Pauses a model for a minute after three consecutive failures, or for as long as a `Retry-After` says (at most an hour); the next
 * prompt then tries it again.
 */
export function createRestingModel(model: LanguageModel, clock: Clock): LanguageModel {
  let failures = 0;
  let restsUntil = 0;
  return {
    name: model.name,
    async ask(question, signal) {
      const now = clock.now().getTime();
      if (now < restsUntil) throw new ModelFailed('resting');
      try {
        const answer = await model.ask(question, signal);
        failures = 0;
        return answer;
      } catch (error) {
        if (!isClientGone(signal)) failures += 1;
        const at = clock.now();
        const asked = error instanceof ModelFailed ? retryAfterMs(error.retryAfter, at) : null;
        if (asked !== null || failures >= MAX_MODEL_FAILURES)
          restsUntil = Math.max(restsUntil, at.getTime() + (asked ?? MODEL_REST_MS));
        throw error;
      }
    },
  };
}

/** A disconnected client is no failure of the model; a time limit is. */
export function isClientGone({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
}
