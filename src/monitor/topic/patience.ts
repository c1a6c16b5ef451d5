import { SECOND } from '../../engine/clock.ts';

/** How long something that may be away is waited for before that is said. */
export const PATIENCE_MS = 5 * SECOND;

/** @throws where the work takes longer than {@link PATIENCE_MS}; it is then left to itself */
export async function withPatience<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / SECOND} s`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
