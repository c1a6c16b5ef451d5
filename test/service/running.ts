/** A service that runs for one test file, and a client for it. */
import { type Clock, steppedClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createKeyVerifier } from '../../src/service/key-gate.ts';
import { type Service, type ServiceOptions, startService } from '../../src/service/service-server.ts';

export const KEY = 'test-key-$1';
export const NOON = '2026-11-21T12:00:00.000Z';

export type Client = Service & {
  clock: ReturnType<typeof steppedClock>;
  lines: string[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
};

/** Starts at any free port, with a clock that stands at noon. */
export async function startForTest(options: Partial<ServiceOptions> = {}): Promise<Client> {
  const clock = steppedClock(NOON);
  const lines: string[] = [];
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    portAsked: false,
    clock,
    log: createLogger('debug', [KEY], { write: (line) => lines.push(line) }),
    keys: verifierOf([KEY], clock),
    version: '0.0.0-test',
    ...options,
  });
  return {
    ...service,
    clock,
    lines,
    post: (path, body, headers = {}) =>
      fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { authorization: KEY, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

function verifierOf(rawKeys: readonly string[], clock: Clock) {
  return createKeyVerifier({ rawKeys, findKeyHashes: () => Promise.resolve([]), clock });
}
