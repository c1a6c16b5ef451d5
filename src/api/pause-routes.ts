import { z } from 'zod';
import type { App } from '../monitor/http/route-types.ts';
import { changeAll } from '../monitor/topics/search-state.ts';
import { operation } from './operation.ts';
import { timeShape } from '../model/value-shapes.ts';
import { pausedUntil } from './request-shapes.ts';
import { readUntil } from './state-routes.ts';

const tags = ['searches'];

const AllChanged = z
  .object({
    searches: z.array(z.string()).describe('Slugs of the searches that were stopped, or started again.'),
    still_paused: z
      .int()
      .describe(
        'Number of searches that were paused before and still are: by themselves, with their topic, or by this.',
      ),
    paused_until: timeShape
      .nullable()
      .describe('When the pause ends by itself (UTC); null: when somebody resumes them, or this did.'),
  })
  .meta({ id: 'AllChanged' });

export function pauseRoutes(app: App): void {
  app.post(
    '/api/v1/pause',
    operation({
      scope: 'write',
      operationId: 'pauseAll',
      summary: 'Pause all searches',
      description:
        'Cancels queued runs; runs in progress finish. Broken searches stay broken. A search that is created or resumed during the pause runs. `resumeAll` continues, or the time `until`.',
      tags,
      body: pausedUntil,
      response: { 200: AllChanged },
    }),
    ({ body, acting }) => changeAll(acting, 'pause', readUntil(body)),
  );

  app.post(
    '/api/v1/resume',
    operation({
      scope: ['write', 'run'],
      operationId: 'resumeAll',
      summary: 'End the pause of all searches',
      description:
        'Resumes what `pauseAll` paused, each at its next slot. What was also paused by itself or with its topic stays paused.',
      tags,
      response: { 200: AllChanged },
    }),
    ({ acting }) => changeAll(acting, 'resume'),
  );
}
