/** A client that knows the specification alone. */
import type { Names } from './names.ts';
import { isObject } from './objects.ts';

/** HORIZON may take 120 s, and 5 of grace. */
const TIMEOUT_MS = 125_000;

export type Reply = { status: number; contentType: string; text: string; json: unknown };

export type Client = {
  ai(body: unknown, key?: string | null): Promise<Reply>;
  microblog(body: unknown, key?: string | null): Promise<Reply>;
  /** How many calls were made. */
  readonly calls: number;
};

/** @param url base address, in front of the service's prefix */
export function createClient({ url, names, key }: { url: string; names: Names; key: string }): Client {
  let calls = 0;
  const base = url.replace(/\/+$/, '');
  async function post(path: string, body: unknown, with_: string | null): Promise<Reply> {
    calls += 1;
    const response = await fetch(`${base}/${[names.prefix, path].filter((part) => part !== '').join('/')}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(with_ !== null && { authorization: with_ }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text,
      json: parsed(text),
    };
  }
  return {
    ai: (body, with_ = key) => post('ai/search', wired(body, names), with_),
    microblog: (body, with_ = key) => post(names.microblogPath, body, with_),
    get calls() {
      return calls;
    },
  };
}

/** A request of operation A with the tools as the server calls them. */
function wired(body: unknown, names: Names): unknown {
  if (!isObject(body) || !Array.isArray(body['tools'])) return body;
  return {
    ...body,
    tools: body['tools'].map((tool: unknown) => (typeof tool === 'string' ? names.tool(tool) : tool)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
