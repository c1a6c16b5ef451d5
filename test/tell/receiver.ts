/** A receiver of webhooks on loopback: records its requests, and responds as instructed. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export type Received = {
  path: string;
  headers: IncomingMessage['headers'];
  /** As it came. */
  body: string;
  hash: string;
  id: string;
  signature: string;
};

export type Behaviour = (response: ServerResponse, received: Received) => void;

export type Receiver = {
  url: string;
  received: Received[];
  /** How it behaves from now on, at every path or at one. */
  answers(behave: Behaviour, path?: string): void;
  /** Ids of the discoveries that were taken (answered with 2xx), in order; with repetitions. */
  taken(path?: string): string[];
  close(): Promise<void>;
};

export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end(body);
/** Never responds. */
export const stalls: Behaviour = () => {};
/** Takes the message and dies before it answers. */
export const dies: Behaviour = (response) => void response.socket?.destroy();

const envelope = z.object({
  type: z.string(),
  data: z.object({
    discoveries: z.array(z.looseObject({ id: z.string() })).default([]),
    further_ids: z.array(z.string()).default([]),
    rule: z.string().optional(),
    run_id: z.string().nullable().optional(),
    total: z.number().optional(),
  }),
});

export function read({ body }: Pick<Received, 'body'>): z.infer<typeof envelope> {
  return envelope.parse(JSON.parse(body));
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const taken: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  let usual: Behaviour = status(200);
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const one: Received = {
        path: request.url ?? '',
        headers: request.headers,
        body: bytes.toString('utf8'),
        hash: createHash('sha256').update(bytes).digest('hex'),
        id: String(request.headers['webhook-id']),
        signature: String(request.headers['webhook-signature']),
      };
      received.push(one);
      response.on('finish', () => {
        if (response.statusCode < 300) taken.push(one);
      });
      (behaviours.get(one.path) ?? usual)(response, one);
    });
    request.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answers: (behave, path) => {
      if (path === undefined) usual = behave;
      else behaviours.set(path, behave);
    },
    taken: (path) =>
      taken
        .filter((one) => path === undefined || one.path === path)
        .flatMap((one) => read(one).data)
        .flatMap(({ discoveries, further_ids }) => [...discoveries.map(({ id }) => id), ...further_ids]),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
