/**
 * Frames between two processes: two lengths of four bytes, a small JSON head, and a body of bytes. And the main loop of a
 * child.
 */

/** Identifies an order by number; members of the order itself are beside it. */
export type ChildOrder = { start: number } | { cancel: number };

/** The body is the result. */
export type ChildReply = { orderId: number; ending: unknown };

const HEADER_BYTES = 8;
const MAX_HEAD_BYTES = 128_000;

export function writeFrame(head: object, body: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(HEADER_BYTES);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return Buffer.concat([lengths, text, body]);
}

/**
 * @param take receives each complete frame, with a head written by {@link writeFrame}
 * @param maxBody bytes
 * @returns a consumer for chunks of the pipe; throws RangeError if a frame is too large
 */
export function readFrames(
  take: (head: unknown, body: Buffer) => void,
  maxBody: number,
): (chunk: Buffer) => void {
  let held: Buffer[] = [];
  let bytes = 0;
  let wanted = HEADER_BYTES;
  return (chunk) => {
    held.push(chunk);
    bytes += chunk.length;
    while (bytes >= wanted) {
      const all = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
      const head = all.readUInt32BE(0);
      const body = all.readUInt32BE(4);
      if (head > MAX_HEAD_BYTES || body > maxBody) throw new RangeError('a frame exceeds its maximum size');
      const whole = HEADER_BYTES + head + body;
      const rest = bytes >= whole ? all.subarray(whole) : all;
      held = [rest];
      wanted = bytes >= whole ? HEADER_BYTES : whole;
      bytes = rest.length;
      if (rest === all) continue;
      const text = all.toString('utf8', HEADER_BYTES, HEADER_BYTES + head);
      take(JSON.parse(text), all.subarray(HEADER_BYTES + head, whole));
    }
  };
}

/**
 * Main loop of a child: reads orders from stdin and writes replies to stdout, until either closes because the parent
 * ended.
 * @param handle handles one order; must not throw
 * @param maxBody bytes that come with an order
 */
export function serveOrders(
  handle: (
    order: unknown,
    body: Buffer,
    canceling: AbortSignal,
  ) => Promise<{ ending: unknown; body?: Buffer }>,
  maxBody: number,
): void {
  const running = new Map<number, AbortController>();
  const end = () => process.exit(0);
  // Ctrl-C reaches every process of a terminal; this one ends with its parent.
  process.on('SIGINT', () => {});
  process.stdout.on('error', end);
  process.stdin.on('error', end).on('end', end).on('data', readFrames(receive, maxBody));

  function receive(head: unknown, body: Buffer): void {
    const order = head as ChildOrder; // the parent sends nothing else
    if ('cancel' in order) running.get(order.cancel)?.abort();
    else void run(order.start, order, body);
  }

  async function run(orderId: number, order: unknown, received: Buffer): Promise<void> {
    const canceling = new AbortController();
    running.set(orderId, canceling);
    const { ending, body } = await handle(order, received, canceling.signal);
    running.delete(orderId);
    process.stdout.write(writeFrame({ orderId, ending }, body));
  }
}
