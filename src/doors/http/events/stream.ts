/** One reader of events: what is written to them, and how much may wait when they do not read. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';

/**
 * More than so many bytes waiting: the reader is too slow, and comes back with the last id it got. What waits for
 * several readers is there once.
 */
const WAITING_MOST = 2 ** 20;
/** How long what waits may still take to be read when the stream has ended. */
const GRACE_MS = 5_000;

const LIFE = Buffer.from(':\n\n');

export type EventStream = {
  /** Aborted when the reader went or was sent away. */
  signal: AbortSignal;
  /** What happens now. A reader that is too slow for it is sent away. */
  write(frames: readonly Uint8Array[]): void;
  /** What is read from a store: waits until the reader has taken it. */
  writeAll(frames: readonly Uint8Array[]): Promise<void>;
  /** A sign of life; ends a stream of which nothing was read since the sign before. */
  beat(): void;
  end(): void;
};

/** @param raw a response whose head has been written */
export function openStream(raw: ServerResponse): EventStream {
  const gone = new AbortController();
  /** Bytes that were handed over when the last sign of life was due; those that wait are not among them. */
  let stuckAt: number | undefined;
  let handed = 0;
  // Also where it is closed already, and where writing to it fails.
  finished(raw, () => gone.abort());
  const send = (frames: readonly Uint8Array[]): void => {
    raw.cork();
    for (const frame of frames) {
      if (gone.signal.aborted) break;
      handed += frame.length;
      raw.write(frame);
      if (raw.writableLength > WAITING_MOST) end();
    }
    raw.uncork();
  };
  const end = () => {
    if (gone.signal.aborted) return;
    gone.abort();
    raw.end();
    const late = setTimeout(() => raw.destroy(), GRACE_MS).unref();
    raw.once('close', () => clearTimeout(late));
  };
  return {
    signal: gone.signal,
    write: send,
    writeAll: async (frames) => {
      for (const frame of frames) {
        if (gone.signal.aborted) return;
        handed += frame.length;
        // An abort is no failure: whoever replays looks at the signal.
        if (!raw.write(frame)) await once(raw, 'drain', { signal: gone.signal }).catch(() => {});
      }
    },
    beat: () => {
      const read = handed - raw.writableLength;
      if (raw.writableLength > 0 && stuckAt === read) return end();
      stuckAt = read;
      send([LIFE]);
    },
    end,
  };
}
