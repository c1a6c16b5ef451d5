/** Why a source returned nothing: never an error of the response, always one of its warnings. */
import type { OutageCode } from '../../model/tool-coverage.ts';

export const OUTAGE_TEXTS: Readonly<Record<OutageCode, string>> = {
  source_off: 'is off',
  source_needs_key: 'needs a key that is not set',
  source_quota: 'has used up its allowance',
  source_busy: 'reached its rate limit',
  source_resting: 'failed repeatedly and is paused',
  source_timeout: 'timed out',
  source_refused: 'rejected the request',
  source_failed: 'failed',
};

/** A source is unavailable. The message contains no text from outside and no secrets. */
export class SourceDown extends Error {
  override readonly name = 'SourceDown';
  readonly code: OutageCode;
  readonly detail: string | undefined;
  /** How long to pause the source, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether no request was sent: then it says nothing about the source's health. */
  readonly unasked: boolean;

  /** @param more.detail appended to the reason: `HTTP 503` */
  constructor(
    code: OutageCode,
    more: {
      detail?: string | undefined;
      retryAfterMs?: number | undefined;
      unasked?: boolean;
    } = {},
  ) {
    super(more.detail === undefined ? OUTAGE_TEXTS[code] : `${OUTAGE_TEXTS[code]}: ${more.detail}`);
    this.code = code;
    this.detail = more.detail;
    this.retryAfterMs = more.retryAfterMs;
    this.unasked = more.unasked ?? false;
  }
}

/** Whether a signal aborted because of a timeout, not because the client disconnected. */
export function isTimeout({ reason }: AbortSignal): boolean {
  if (reason instanceof SourceDown) return reason.code === 'source_timeout';
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
