/** A TCP proxy in front of one server that produces network faults. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type Side = 'client' | 'server';

/** One connection through the wire. */
export type Link = Readonly<{ id: number; cut(): void }>;
export type Chunk = Readonly<{ link: Link; from: Side; bytes: Buffer }>;

type Look = (chunk: Chunk) => 'pass' | 'cut' | 'lose';

/** What happens to bytes. `hold` is a partition that heals: they arrive once it passes again. */
type Mode =
  | { kind: 'pass' }
  | { kind: 'delay'; ms: number }
  | { kind: 'hold' }
  | { kind: 'drop' }
  | { kind: 'reset' }
  | { kind: 'cut'; left: number }
  | { kind: 'throttle'; bytesPerSecond: number };

export type Wire = Readonly<{
  port: number;
  /** The same address, by way of this wire. */
  address(url: string): string;
  pass(): void;
  /** Every chunk comes so many milliseconds late, in order. */
  delay(ms: number): void;
  /** Nothing arrives, in either direction, until it passes again: then all of it does. */
  hold(): void;
  /** Half-open: connections stand, bytes vanish. Those that lost any are reset once it passes again. */
  drop(): void;
  /** Connections are reset, and new ones as soon as they are made. */
  reset(): void;
  /** After so many more bytes from the server the connection that carried them is reset; then it passes. */
  cutAfter(bytes: number): void;
  throttle(bytesPerSecond: number): void;
  /** Looks at every chunk before it goes on; answers `cut` to reset its connection instead, `lose` to let it and all after it vanish. One look at a time. */
  watch(look: Look | undefined): void;
  /** Leads to another port from now on: a server that came back elsewhere. */
  leadTo(port: number): void;
  /** How many connections stand. */
  links(): number;
  close(): Promise<void>;
}>;

type Ends = {
  id: number;
  client: Socket;
  server: Socket;
  lost: boolean;
  held: (() => void)[];
  queue: Promise<void>;
};

export async function openWire(target: { host: string; port: number }): Promise<Wire> {
  let mode: Mode = { kind: 'pass' };
  let look: Look | undefined;
  let port = target.port;
  let made = 0;
  const links = new Set<Ends>();

  const cut = (ends: Ends) => {
    ends.client.resetAndDestroy();
    ends.server.resetAndDestroy();
    links.delete(ends);
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (mode.kind === 'reset') return void client.resetAndDestroy();
    const ends: Ends = {
      id: (made += 1),
      client,
      server: connect({ host: target.host, port, allowHalfOpen: true }),
      lost: false,
      held: [],
      queue: Promise.resolve(),
    };
    links.add(ends);
    join(ends, 'client', client, ends.server);
    join(ends, 'server', ends.server, client);
  });

  function join(ends: Ends, from: Side, source: Socket, sink: Socket): void {
    source.setNoDelay(true);
    source.on('error', () => cut(ends));
    source.on('data', (bytes) => {
      const seen = look?.({ link: { id: ends.id, cut: () => cut(ends) }, from, bytes });
      if (seen === 'cut') return cut(ends);
      if (seen === 'lose') ends.lost = true;
      if (ends.lost) return;
      carry(ends, from, bytes.length, () => {
        if (!sink.writable || sink.write(bytes)) return;
        source.pause();
        sink.once('drain', () => source.resume());
      });
    });
    source.on('end', () => {
      // Who has lost bytes does not hear of the other's end either.
      if (!ends.lost) carry(ends, from, 0, () => sink.end());
    });
    source.on('close', () => {
      if (ends.client.destroyed && ends.server.destroyed) links.delete(ends);
    });
  }

  function carry(ends: Ends, from: Side, size: number, deliver: () => void): void {
    switch (mode.kind) {
      case 'pass':
        return void (ends.queue = ends.queue.then(deliver));
      case 'delay':
        return later(ends, mode.ms, deliver);
      case 'throttle':
        return later(ends, (1_000 * size) / mode.bytesPerSecond, deliver);
      case 'hold':
        return void ends.held.push(deliver);
      case 'drop':
        ends.lost = true;
        return;
      case 'reset':
        return cut(ends);
      case 'cut':
        if (from === 'server') mode.left -= size;
        if (mode.left > 0) return void (ends.queue = ends.queue.then(deliver));
        cut(ends);
        mode = { kind: 'pass' };
    }
  }

  function later(ends: Ends, ms: number, deliver: () => void): void {
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, ms);
    });
    ends.queue = ends.queue.then(() => late).then(deliver);
  }

  function become(next: Mode): void {
    for (const ends of links) {
      if (ends.lost || next.kind === 'reset') cut(ends);
      if (next.kind === 'hold') continue;
      for (const deliver of ends.held.splice(0)) ends.queue = ends.queue.then(deliver);
    }
    mode = next;
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port; // a TCP server's address is never a string
  return {
    port: own,
    address: (url) => {
      const by = new URL(url);
      by.hostname = '127.0.0.1';
      by.port = String(own);
      return by.href.replace(/\/$/, '');
    },
    pass: () => become({ kind: 'pass' }),
    delay: (ms) => become({ kind: 'delay', ms }),
    hold: () => become({ kind: 'hold' }),
    drop: () => become({ kind: 'drop' }),
    reset: () => become({ kind: 'reset' }),
    cutAfter: (bytes) => become({ kind: 'cut', left: bytes }),
    throttle: (bytesPerSecond) => become({ kind: 'throttle', bytesPerSecond }),
    watch: (next) => {
      look = next;
    },
    leadTo: (next) => {
      port = next;
    },
    links: () => links.size,
    close: async () => {
      for (const ends of links) cut(ends);
      server.close();
      await once(server, 'close');
    },
  };
}
