/** Where to go after signing in: a place of this server, and nowhere else. */

const NOWHERE = 'http://nowhere.invalid';

/** @param given from the address, so from anybody. @returns a path of ours; `/` for whatever is not certainly one */
export function safeNext(given: string | undefined): string {
  if (given === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(given)) return '/';
  const url = new URL(given, NOWHERE);
  // `/.//host` is a path here, and would be another host where it is read a second time.
  const elsewhere = url.origin !== NOWHERE || url.pathname.startsWith('//');
  if (elsewhere || url.pathname === '/sign-in') return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
