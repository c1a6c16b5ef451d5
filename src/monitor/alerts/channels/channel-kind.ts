/** A kind of channel: one way to send messages. To add a kind, create a file here and add a line in channel-kinds.ts. */

import type { Config } from '../../../config/config.ts';
import type { OwnListeners } from '../../../platform/network.ts';
import type { DeliveryCode } from '../../../model/alerts.ts';
import type { ChannelMessage } from '../message.ts';
import type { z } from 'zod';

/** A setting of a channel, from which its option, API member, form field, audit entry and stored value are derived. */
export type Setting = {
  /** Allowed values, with a description. */
  shape: z.ZodString;
  /** Label in the form. */
  label: string;
  /** Hint below the field of the form. */
  help?: string;
  /** What kind of field the form has for it; a secret's hides what is typed. */
  input: 'url' | 'text';
  example: string;
  /**
   * Encrypted where it is stored, and never shown. Its name must contain `token`, `key`, `password` or `secret`, because the
   * API quotes other invalid values. Commands read it from a file, because other users can see arguments.
   */
  secret: boolean;
  /** May be left out or empty. */
  optional?: true;
  /** Normalizes the given value for storage; default: as given. @throws InvalidInput, which must not quote a secret */
  read?: (text: string) => string;
  /** The part that may be shown; default: all of it, or nothing of a secret. */
  show?(value: string): string;
};

/** Decrypted settings, by name. */
export type Settings<Name extends string = string> = Readonly<Record<Name, string>>;

/** What a body may depend on, next to the content of the message. */
export type Composition<Name extends string = string> = {
  /** `msg_...`, the same for every attempt. */
  id: string;
  /** Slug of the channel. */
  channel: string;
  /** Settings that are not secret. */
  settings: Partial<Settings<Name>>;
  /** `https://strandline.host`; undefined if the address of the dashboard is not configured. */
  baseUrl: string | undefined;
  mail: Config['mail'];
};

/** A message that is ready to send. */
export type OutgoingMessage = {
  /** `msg_...`, the same for every attempt. */
  id: string;
  /** Recipients that accepted it in earlier attempts; always empty for kinds with one receiver. */
  accepted: readonly string[];
  /** The same bytes for every attempt. */
  body: string;
  /** When this attempt is made. */
  at: Date;
};

/** Where a message is sent. */
export type Receiver<Name extends string = string> = {
  settings: Settings<Name>;
  /** Signing secrets, newest first; empty if the kind has none. */
  secrets: readonly string[];
};

export type SendOptions = {
  /** Time limit of the whole attempt. */
  timeoutMs: number;
  /** `CHANNELS_ALLOW` and `WEBHOOK_ALLOW`, in one list. */
  allow: string | undefined;
  /** Listeners of this process, to which messages are never sent. */
  doors: OwnListeners;
  /** The operator's mail server. */
  mail: Config['mail'];
  /** Aborts the attempt when the process stops. */
  signal: AbortSignal;
};

/**
 * The result of an attempt. `aborted`: the signal ended it. `httpStatus` is null if there was no reply. `answer` is the start
 * of the reply, cleaned; `detail` has details of a failure and no outside text.
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
  /** Null: by its code and status, as `delivery-retry.ts` decides. */
  consequence: Consequence | null;
  /** Recipients that accepted the message in this attempt, although others did not. */
  accepted: readonly string[];
};

/**
 * What follows a failure. `retry`: the message is sent again, and others are sent meanwhile. `rest`: the whole channel rests
 * first. `drop`: the message is dead. `pause`: the message waits until somebody resumes the channel, which is disabled. `end`:
 * the message is dead and the channel is disabled.
 */
export type Consequence = 'retry' | 'rest' | 'drop' | 'pause' | 'end';

/** A failure of which no more is known than is given. */
export function failSend(code: DeliveryCode, more: Partial<FailedSend> = {}): FailedSend {
  const unknown = { httpStatus: null, answer: null, detail: null, retryAfterMs: null, consequence: null };
  return { kind: 'failed', code, ...unknown, accepted: [], ...more };
}

type ChannelWords = {
  name: string;
  /** Title of the form for its settings. */
  target: string;
  /** What such a channel does, in one sentence. */
  lead: string;
  /** How a receiver uses the secret; null if there is none. */
  secret: string | null;
  /** Messages for failures that differ from `DELIVERY_CODES`. */
  failures: Readonly<Partial<Record<DeliveryCode, string>>>;
};

/** @template Name names of its settings. No other kind may use them: they identify the kind */
export type ChannelKind<Name extends string = string> = {
  /** The first setting is where messages go; lists show the part of it that may be shown. */
  settings: Readonly<Record<Name, Setting>>;
  /**
   * The settings in a text that a person pasted, such as an address; null if it is not of this kind. Settings that the text
   * lacks are missing in the result. Cheap, and without a look at the network.
   */
  recognize(pasted: string): Partial<Settings<Name>> | null;
  /** Hosts at which only this service receives messages. */
  hosts?: RegExp;
  /** Checks that messages may be sent there now. @throws InvalidInput; Refused `unavailable` if this process lacks what the kind needs */
  assertReachable(
    settings: Settings<Name>,
    means: Pick<SendOptions, 'allow' | 'doors' | 'mail'>,
  ): Promise<void>;
  /** Milliseconds between two messages to a channel, at the highest rate that the service permits permanently; default: no limit. */
  paceMs?: number;
  /** All its channels send through the operator's server; default: each sends to the host of its first setting. */
  hasOneServer?: true;
  /** Content type of its bodies. */
  contentType: string;
  /**
   * Composes the body, once per message: every attempt sends the same bytes.
   * @throws Refused `unavailable` if this process lacks what a body needs
   */
  compose(message: ChannelMessage, about: Composition<Name>): string | Promise<string>;
  /** Sends a message once. Never throws. */
  send(message: OutgoingMessage, to: Receiver<Name>, means: SendOptions): Promise<SendResult>;
  /** Creates a signing secret, for a new channel or a rotation; null: the kind has none. */
  createSecret: (() => string) | null;
  words: ChannelWords;
};
