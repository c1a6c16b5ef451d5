/** A client that knows the specification alone. */
import type { Names } from './names.ts';
import { isObject } from './objects.ts';
import { Unusable } from './unusable.ts';

/** HORIZON may take 120 s, and 5 of grace. */
const TIMEOUT_MS = 125_000;

export type Reply = { status: number; contentType: string; text: string; json: unknown };

export type Client = {
  ai(body: unknown, key?: string | null): Promise<Reply>;
  microblog(body: unknown, key?: string | null): Promise<Reply>;
  /** The number of calls made. */
  readonly calls: number;
};

/** @param url base address, in front of the service's prefix */
export function createClient({ url, names, key }: { url: string; names: Names; key: string }): Client {
  let calls = 0;
  const base = url.replace(/\/+$/, '');
  async function post(path: string, body: unknown, with_: string | null): Promise<Reply> {
    calls += 1;
    const at = `${base}/${[names.prefix, path].filter((part) => part !== '').join('/')}`;
    const response = await reach(at, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(with_ !== null && { authorization: with_ }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response === undefined) return { status: 0, contentType: '', text: 'no answer', json: undefined };
    const text = await response.text();
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text,
      json: parsed(text),
    };
  }
  /** Undefined if the server no longer responds; a server that never did cannot be checked. */
  async function reach(at: string, init: RequestInit): Promise<Response | undefined> {
    try {
      return await fetch(at, init);
    } catch (error) {
      if (calls > 1) return undefined;
      const cause = error instanceof Error ? error.cause : undefined;
      const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
      throw new Unusable(`no server answers at ${at}${code}`);
    }
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
