/** `PUT` at a slug: creates what has the slug, or replaces it. */
import { Refused } from '../model/errors.ts';

/** What has the slug now, and whether it was created. */
export type Put<T> = { isNew: boolean; made: T };

export type PutOptions = {
  /** Refuses to replace: `If-None-Match: *`. */
  onlyCreate: boolean;
};

/**
 * @param put.exists whether something that is not removed has the slug
 * @throws Refused `exists` with `onlyCreate`; what `create` and `replace` throw
 */
export async function createOrReplace<T>(
  put: { what: string; exists: () => Promise<boolean>; create: () => Promise<T>; replace: () => Promise<T> },
  { onlyCreate }: PutOptions,
): Promise<Put<T>> {
  const replace = async (): Promise<Put<T>> => {
    if (onlyCreate) throw new Refused('exists', `${put.what} already exists`);
    return { isNew: false, made: await put.replace() };
  };
  if (await put.exists()) return replace();
  try {
    return { isNew: true, made: await put.create() };
  } catch (error) {
    // Somebody else created it meanwhile.
    if (error instanceof Refused && error.kind === 'conflict' && (await put.exists())) return replace();
    throw error;
  }
}
