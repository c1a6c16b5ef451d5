/**
 * How a call ended. Errors are data here: nothing is thrown, so that whoever writes the ledger has what
 * was seen of a failed call too, and no error object of a library travels further with a request inside.
 */
import type { RunCode } from '../../errors.ts';

/** What is known of every call, however it ended. */
type Seen = {
  /** Null where no answer began. */
  httpStatus: number | null;
  contentType: string | null;
  /** Decoded bytes received. */
  bytes: number;
  /** From the beginning of the call to its end. */
  latencyMs: number;
  /** What the service says the call cost; null where it says nothing or nothing believable. */
  costUsd: number | null;
  usageCount: number | null;
  /** Whether the request was put on a connection. Where not, the call was certainly not billed. */
  sent: boolean;
};

/** A whole body that begins like JSON, or an event stream with its completion, under a status of a response. Not read yet. */
export type RawAnswer = Seen & { kind: 'answer'; httpStatus: number; body: Buffer };

/** What had arrived of a body that broke off, decoded: it was paid for. Undefined where nothing had. */
type BrokenOff = { partial: Buffer | undefined };

export type CallFailure = Seen &
  BrokenOff & {
    kind: 'failed';
    code: RunCode;
    /** The service's words or the network's code, cleaned, at most 2,000 characters, never with the key. */
    detail: string | undefined;
    /** How long the service asked to wait, at most an hour. */
    retryAfterMs: number | undefined;
  };

/** The caller's signal ended it (the lease was lost, or the process stops). Its price is not known. */
export type CallAborted = Seen & BrokenOff & { kind: 'aborted' };

export type CallResult = RawAnswer | CallFailure | CallAborted;

/** How far a call has come; filled in while it runs. */
export type Progress = Omit<Seen, 'latencyMs' | 'sent'> & { phase: 'connect' | 'headers' | 'body' };
