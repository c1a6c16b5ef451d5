/** The API in a process of its own, which is killed after the handler of a request and before its reply, where the request says so. */
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { openProgram } from '../../../src/app/program.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Routes } from '../../../src/monitor/http/route-types.ts';
import { createLogger } from '../../../src/platform/logger.ts';

const dies: Routes = (app) => {
  app.addHook('preSerialization', async ({ headers }, _reply, payload) => {
    if (headers['x-dies'] !== undefined) process.kill(process.pid, 'SIGKILL');
    return payload;
  });
};

const config = readConfig(process.env);
const program = await openProgram({ config, log: createLogger('silent'), role: 'guest' });
const app = await buildHttpServer(program, { api: [dies, apiRoutes], pages: [] });
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }));
