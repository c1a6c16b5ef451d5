import { SECOND } from './clock.ts';

/** How long a person who asks how it goes waits for something that may be away, before that is said. */
export const PATIENCE_MS = 5 * SECOND;

/** @throws Error where the work takes longer; it is then left to itself */
export async function withPatience<T>(work: Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / SECOND} s`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
