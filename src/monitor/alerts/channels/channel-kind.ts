/** What a kind of channel is: one way of sending a message. A new kind is one file beside this, and one line in channel-kinds.ts. */

import type { OwnListeners } from '../../../platform/network.ts';
import type { DeliveryCode } from '../../../store/alerts/delivery-rows.ts';

/** A message that is ready to go. */
export type OutgoingMessage = {
  /** `msg_...`, the same at every attempt. */
  id: string;
  /** The same bytes at every attempt. */
  body: string;
  /** When this attempt is made. */
  at: Date;
};

/** Where it goes. */
export type Receiver = {
  address: string;
  /** What messages are signed with; the newest first. */
  secrets: readonly string[];
};

export type SendOptions = {
  /** For the whole attempt. */
  timeoutMs: number;
  /** `WEBHOOK_ALLOW`. */
  allow: string | undefined;
  /** Where messages would come back to us; they are never sent there. */
  doors: OwnListeners;
  /** Ends the attempt: the process stops. */
  signal: AbortSignal;
};

/**
 * What came of an attempt. `aborted`: nobody waited for its end. `answer` is the beginning of what the receiver
 * said, cleaned; `detail` says more of a failure, in words of ours.
 */
export type DeliveryAttempt =
  | { kind: 'taken'; httpStatus: number; answer: string | null }
  | {
      kind: 'failed';
      code: DeliveryCode;
      httpStatus: number | null;
      answer: string | null;
      detail: string | null;
      retryAfterMs: number | null;
    }
  | { kind: 'aborted' };

export type ChannelKind = {
  /** Reads the address that a person gives. @throws InvalidInput */
  readAddress(given: string): string;
  /** Asks whether messages may be sent there, as it is now. @throws InvalidInput */
  assertReachable(address: string, means: Pick<SendOptions, 'allow' | 'doors'>): Promise<void>;
  /** Sends a message once. Never throws. */
  send(message: OutgoingMessage, to: Receiver, means: SendOptions): Promise<DeliveryAttempt>;
};
