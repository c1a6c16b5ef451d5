import type { Writable } from 'node:stream';

/** Where data goes. A reader that goes away (`| head`) is no failure: what is left is not written. */
export type Output = {
  /** Waits until the reader has taken it. */
  write(data: string | Uint8Array): Promise<void>;
  /** Whether the reader went away. */
  gone(): boolean;
  onGone(act: () => void): void;
  /** Why writing failed, where it was not for the reader's going. */
  failure(): Error | undefined;
  release(): void;
};

export function openOutput(stream: Writable): Output {
  const acts: (() => void)[] = [];
  let gone = false;
  let failure: Error | undefined;
  const onError = (error: Error) => {
    if (gone || failure !== undefined) return;
    if ('code' in error && GONE.has(String(error.code))) gone = true;
    else failure = error;
    for (const act of acts) act();
  };
  stream.on('error', onError);
  return {
    gone: () => gone,
    failure: () => failure,
    onGone: (act) => {
      acts.push(act);
    },
    write: async (data) => {
      if (gone || failure !== undefined) return;
      await new Promise<void>((resolve) => {
        stream.write(data, (error) => {
          if (error !== null && error !== undefined) onError(error);
          resolve();
        });
      });
    },
    release: () => {
      // The stream outlives us, and may fail once more: an error nobody listens to would end the process.
      stream.off('error', onError);
      stream.on('error', () => {});
    },
  };
}

const GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);
