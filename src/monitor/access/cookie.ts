/** The cookie of a session, which no script can read and no other site makes a browser change things with. */

export type SessionCookie = {
  name: string;
  options: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean };
};

/** @param baseUrl where it says https, the cookie goes nowhere else and belongs to this host alone (`__Host-`) */
export function sessionCookie(baseUrl: string | undefined): SessionCookie {
  const secure = baseUrl !== undefined && new URL(baseUrl).protocol === 'https:';
  return {
    name: secure ? '__Host-strandline' : 'strandline',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  };
}
