/** Why a source gave nothing: never a failure of the response, always a reason in its warnings. */
import type { OutageCode } from '../../protocol/service-status.ts';

export const OUTAGE_TEXTS: Readonly<Record<OutageCode, string>> = {
  source_off: 'is switched off',
  source_needs_key: 'needs a key that is not set',
  source_quota: 'has used up its allowance',
  source_busy: 'was asked as often as its terms allow',
  source_resting: 'failed repeatedly and is left alone for a while',
  source_timeout: 'did not answer in time',
  source_refused: 'refused the request',
  source_failed: 'failed',
};

/** A source cannot say anything now. The message is ours and holds no text from outside and no secret. */
export class SourceDown extends Error {
  override readonly name = 'SourceDown';
  readonly code: OutageCode;
  readonly detail: string | undefined;
  /** How long the source asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether we did not even ask: then it says nothing about how the source is. */
  readonly unasked: boolean;

  /** @param more.detail a few words of ours behind the reason: `answered 503` */
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

/** Whether a signal ended because time was up, and not because somebody went away. */
export function isTimeout({ reason }: AbortSignal): boolean {
  if (reason instanceof SourceDown) return reason.code === 'source_timeout';
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
