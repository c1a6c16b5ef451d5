/** A visitor without JavaScript: requests pages, fills in their forms, follows redirects. */
import type { App } from '../../../src/monitor/http/route-types.ts';

export type Fields = Readonly<Record<string, string | readonly string[]>>;
export type Seen = { status: number; html: string; to: string | undefined };

export type Person = {
  get(url: string): Promise<Seen>;
  /** Sends a form with the token of a page that was just loaded. */
  post(url: string, fields?: Fields): Promise<Seen>;
  /** The same, and on to the page it leads to. */
  follow(url: string, fields?: Fields): Promise<Seen>;
  /** The same with nothing that makes a form ours. */
  forge(url: string, fields?: Fields): Promise<Seen>;
};

export function personAt(app: App, from = '/new'): Person {
  const jar = new Map<string, string>();
  async function ask(method: 'GET' | 'POST', url: string, fields?: Fields): Promise<Seen> {
    const answer = await app.inject({
      method,
      url,
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(fields === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(fields === undefined ? {} : { payload: encoded(fields) }),
    });
    for (const { name, value } of answer.cookies) {
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return { status: answer.statusCode, html: answer.body, to: answer.headers.location };
  }
  const post: Person['post'] = async (url, fields = {}) => {
    const { html } = await ask('GET', from);
    const token = /name="form_token" value="([^"]+)"/.exec(html)?.[1];
    if (token === undefined) throw new Error(`${from} has no form`);
    return ask('POST', url, { ...fields, form_token: token });
  };
  return {
    get: (url) => ask('GET', url),
    post,
    follow: async (url, fields) => {
      const { status, to, html } = await post(url, fields);
      if (status !== 303 || to === undefined)
        throw new Error(`${url} led nowhere (${status}): ${textOf(html)}`);
      return { ...(await ask('GET', to)), to };
    },
    forge: (url, fields = {}) => ask('POST', url, fields),
  };
}

function encoded(fields: Fields): string {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value].flat()) sent.append(name, each);
  return sent.toString();
}

/** What a page says, without its marks. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}
