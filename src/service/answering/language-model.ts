/** A client for an OpenAI-compatible language model: one prompt, one response; pauses after repeated failures. */

import { tryParseJson } from '../../lib/json-values.ts';
import { trimEndSlashes } from '../../model/links/link.ts';
import { MINUTE } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import { findNetworkCode } from '../../platform/network.ts';
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
  /** JSON schema of the response, limited to what every strict server supports. */
  schema: Readonly<Record<string, unknown>>;
};

type ModelFailure = 'no_answer' | 'status' | 'too_large' | 'unreadable' | 'refused' | 'empty' | 'resting';

/** The message contains nothing of the response, the prompt, the address or the key. */
export class ModelFailed extends Error {
  readonly reason: ModelFailure;
  /** HTTP status, or network error code (`ECONNREFUSED`), if that is the reason. */
  readonly status: number | string | undefined;

  constructor(reason: ModelFailure, status?: number | string) {
    super(status === undefined ? reason : `${reason} ${status}`);
    this.name = 'ModelFailed';
    this.reason = reason;
    this.status = status;
  }
}

/** Maximum response size in bytes; a completion has a few thousand. */
const MAX_RESPONSE_BYTES = 500_000;
/** Low, so that the same sources give similar completions. */
const TEMPERATURE = 0.1;
/** Ways to request JSON, strictest first; after a 400, the next is tried. */
const RESPONSE_FORMATS = ['json_schema', 'json_object', 'text'] as const;
type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

const chatResponse = z.object({
  choices: z.array(
    z.object({
      message: z.object({
        content: z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).nullish(),
        refusal: z.string().nullish(),
      }),
    }),
  ),
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
  // The format that worked, remembered until restart.
  let easiest = 0;

  async function post(way: ResponseFormat, question: ModelQuestion, signal: AbortSignal) {
    const body = JSON.stringify(buildRequestBody(settings.model, way, question));
    const response = await request(url, { method: 'POST', headers, body, signal });
    if (response.statusCode !== 200) {
      response.body.on('error', () => {}).destroy();
      return { status: response.statusCode, text: '' };
    }
    const text = await readLimitedBody(response.body, MAX_RESPONSE_BYTES);
    if (text === undefined) throw new ModelFailed('too_large');
    return { status: 200, text };
  }

  return {
    name: settings.model,
    async ask(question, signal) {
      try {
        for (const [i, way] of RESPONSE_FORMATS.entries()) {
          if (i < easiest) continue;
          const { status, text } = await post(way, question, signal);
          if (status === 200) {
            easiest = i;
            return readContent(text);
          }
          if (status !== 400) throw new ModelFailed('status', status);
        }
        throw new ModelFailed('status', 400);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ModelFailed) throw error;
        throw new ModelFailed('no_answer', findNetworkCode(error));
      }
    },
  };
}

function buildRequestBody(model: string, way: ResponseFormat, { system, user, schema }: ModelQuestion) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
  // A server that rejects both JSON formats may reject a temperature too.
  if (way === 'text') return { model, messages };
  const format = {
    type: way,
    ...(way === 'json_schema' && { json_schema: { name: 'completion', strict: true, schema } }),
  };
  return { model, messages, temperature: TEMPERATURE, response_format: format };
}

/** @throws ModelFailed */
function readContent(text: string): string {
  const parsed = chatResponse.safeParse(tryParseJson(text));
  if (!parsed.success) throw new ModelFailed('unreadable');
  const message = parsed.data.choices[0]?.message;
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

/** Pauses a model for a minute after three consecutive failures; the next prompt then tries it again. */
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
        // A disconnected client is no failure of the model; a time limit is.
        if (!isClientGone(signal)) failures += 1;
        if (failures >= MAX_MODEL_FAILURES) restsUntil = clock.now().getTime() + MODEL_REST_MS;
        throw error;
      }
    },
  };
}

function isClientGone({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof DOMException && reason.name === 'TimeoutError');
}
