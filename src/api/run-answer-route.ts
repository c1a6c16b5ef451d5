/** The stored response of a run, as its service sent it: bytes, so not an operation. */
import { finished } from 'node:stream';
import { z } from 'zod';
import { Refused } from '../model/errors.ts';
import { idParam } from '../model/value-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { findRunRow } from '../monitor/topics/find-by-slug.ts';
import { loadNewestResponse } from '../store/runs/responses.ts';
import { operation } from './operation.ts';
import { Bytes } from './reply-shapes.ts';

export function runAnswerRoute(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/runs/:run/answer',
    operation({
      scope: 'read',
      sends: ['Content-Disposition'],
      operationId: 'getRunAnswer',
      summary: 'Download the raw response of a run',
      description:
        'The bytes that the service sent, as a download. Treat them as untrusted. Returns 404 once they have expired.',
      tags: ['runs'],
      params: z.strictObject({ run: idParam.meta({ examples: ['3'] }) }),
      response: {
        200: {
          description: 'The raw response. `getRun` returns its content type.',
          content: { 'application/octet-stream': { schema: Bytes } },
        },
      },
    }),
    async (request, reply) => {
      const { run: id } = request.params;
      await findRunRow(ctx.db, id);
      finished(reply.raw, app.shares.answers.take(request));
      const answer = await loadNewestResponse(ctx.db, id);
      if (answer === null) throw new Refused('not_found', `run ${id} has no stored response`);
      return reply
        .type('application/octet-stream')
        .header('content-disposition', `attachment; filename="run-${id}-answer"`)
        .header('x-content-type-options', 'nosniff')
        .send(answer.body);
    },
  );
}
