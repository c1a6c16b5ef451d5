/** A world with a stubbed hosted service for one test file. Both end with it, and each test begins at START. */
import { afterAll, afterEach } from 'vitest';
import { type StubService, startStub } from './stub-service.ts';
import { makeWorld, START, type World } from './world.ts';

export type StubbedWorld = {
  stub: StubService;
  world: World;
  // Rows of ad hoc queries: the test knows what they hold.
  rows: (sql: string, values?: unknown[]) => Promise<ReturnType<typeof JSON.parse>[]>;
};

/** To be awaited at the top of a test file. */
export async function stubbedWorld(): Promise<StubbedWorld> {
  const stub = await startStub();
  const world = await makeWorld({ hosted: stub.url });
  afterEach(() => world.clock.set(START));
  afterAll(async () => {
    await world.close();
    await stub.close();
  });
  return { stub, world, rows: async (sql, values = []) => (await world.db.pool.query(sql, values)).rows };
}
