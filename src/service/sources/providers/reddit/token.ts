/** The access token of an application at Reddit, kept until it is about to end. */
import { z } from 'zod';
import { type Clock, MINUTE, SECOND } from '../../../../engine/clock.ts';
import { SourceDown } from '../../../outage.ts';
import type { Ask } from '../../guard/ask.ts';
import { readAnswer } from '../../reading/read-answer.ts';
import { createShared } from '../../guard/shared.ts';

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const answer = z.union([granted, z.object({ error: z.unknown() })]);

export type Tokens = {
  /** @throws SourceDown */
  current(asking: { ask: Ask; clock: Clock }): Promise<string>;
  /** Forgets a token that was refused, unless a newer one has taken its place. */
  refused(token: string): void;
};

export function redditTokens(settings: {
  clientId: string;
  clientSecret: string;
  url: URL;
  userAgent: string;
}): Tokens {
  const { clientId, clientSecret, url, userAgent } = settings;
  let kept: { token: string; until: number } | undefined;
  const renewal = createShared<string>();

  async function request(ask: Ask, clock: Clock): Promise<string> {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const { text } = await ask({
      url,
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': userAgent,
      },
      body: 'grant_type=client_credentials',
    });
    const read = readAnswer(text, answer);
    if (!('access_token' in read)) throw new SourceDown('source_refused', { detail: 'no token was given' });
    kept = {
      token: read.access_token,
      until: clock.now().getTime() + read.expires_in * SECOND - MINUTE,
    };
    return kept.token;
  }

  return {
    current({ ask, clock }) {
      return renewal(
        () => (kept !== undefined && clock.now().getTime() < kept.until ? kept.token : undefined),
        () => request(ask, clock),
      );
    },
    refused(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}
