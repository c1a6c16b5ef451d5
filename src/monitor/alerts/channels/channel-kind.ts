/** What a kind of channel is: one way of sending a message. A new kind is one file beside this, and one line in channel-kinds.ts. */

import type { OwnListeners } from '../../../platform/network.ts';
import type { DeliveryCode } from '../../../store/alerts/delivery-rows.ts';
import type { ChannelMessage } from '../message.ts';
import type { z } from 'zod';

/**
 * Something that a person gives to make a channel. The option of the command, the member of the API, the field of the form, the
 * audit entry and what is stored are made of it.
 */
export type Setting = {
  /** What may be given; its description says what it is. */
  shape: z.ZodString;
  /** What the form calls it. */
  label: string;
  /** One line below the field of the form. */
  help?: string;
  /** What kind of field the form has for it; a secret's hides what is typed. */
  input: 'url' | 'text';
  example: string;
  /**
   * Sealed where it is stored, and never shown; its name says so (`token`, `key`, `password`, `secret`), for the API repeats other
   * values that it refuses. A command reads it from a file: arguments can be seen by others.
   */
  secret: boolean;
  /** Makes of what was given what is stored; left out: as it was given. @throws InvalidInput, which repeats nothing of a secret */
  read?: (given: string) => string;
  /** The part that may be shown; left out: all of what is no secret. */
  show?(value: string): string;
};

/** Settings as they are used, by name. */
export type Settings<Name extends string = string> = Readonly<Record<Name, string>>;

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
export type Receiver<Name extends string = string> = {
  settings: Settings<Name>;
  /** What messages are signed with, the newest first; none where the kind has no secret. */
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
 * What came of an attempt. `aborted`: nobody waited for its end. `httpStatus` is null where none was answered. `answer` is the
 * beginning of what the receiver said, cleaned; `detail` says more of a failure, in words of ours.
 */
export type SendResult =
  | { kind: 'taken'; httpStatus: number | null; answer: string | null }
  | FailedSend
  | { kind: 'aborted' };

export type FailedSend = {
  kind: 'failed';
  code: DeliveryCode;
  httpStatus: number | null;
  answer: string | null;
  detail: string | null;
  retryAfterMs: number | null;
};

/** A failure of which no more is known than is given. */
export function failSend(code: DeliveryCode, more: Partial<FailedSend> = {}): FailedSend {
  return { kind: 'failed', code, httpStatus: null, answer: null, detail: null, retryAfterMs: null, ...more };
}

type ChannelWords = {
  name: string;
  /** What its settings say together: the title of their form. */
  target: string;
  /** What such a channel does, in a sentence. */
  lead: string;
  /** What a receiver does with the secret; null where there is none. */
  secret: string | null;
  /** What a failure means where it means something else than for most (`DELIVERY_CODES`). */
  failures: Readonly<Partial<Record<DeliveryCode, string>>>;
};

/** @template Name of its settings, which no other kind has: they say which kind is meant */
export type ChannelKind<Name extends string = string> = {
  /** The first one says where messages go: what may be shown of it names the channel's receiver in lists. */
  settings: Readonly<Record<Name, Setting>>;
  /** Asks whether messages may be sent there, as it is now. @throws InvalidInput */
  assertReachable(settings: Settings<Name>, means: Pick<SendOptions, 'allow' | 'doors'>): Promise<void>;
  /** Of the bodies that it composes. */
  contentType: string;
  /** Makes the body, once: every attempt sends the same bytes. */
  compose(message: ChannelMessage): string;
  /** Sends a message once. Never throws. */
  send(message: OutgoingMessage, to: Receiver<Name>, means: SendOptions): Promise<SendResult>;
  /** Makes a secret that messages are signed with, for a new channel and for one that gets a new one; null: it has none. */
  createSecret: (() => string) | null;
  words: ChannelWords;
};
