import { expect, test } from 'vitest';
import { startScanLoop } from '../../src/monitor/schedule/scan-loop.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { world } = await stubbedWorld();

test('an outage is logged once however many scans fail, and its end once', async () => {
  const events: string[] = [];
  const hears = (...given: unknown[]) => void events.push(String(given.at(-1)));
  const log = Object.assign(Object.create(world.ctx.log), { info: hears, warn: hears });
  let away = false;
  const pool = new Proxy(world.db.pool, {
    get: (of, name) =>
      name === 'connect' && away
        ? () => Promise.reject(new Error('database away'))
        : Reflect.get(of, name).bind?.(of),
  });
  const scanning = await startScanLoop({ ...world.ctx, log, db: { ...world.db, pool } });
  try {
    events.length = 0;
    for (away of [true, true, true, false, false]) await scanning.scan();
    expect(events).toEqual(['scan failed; retrying', 'scans recovered']);
  } finally {
    await scanning.stop();
  }
});
