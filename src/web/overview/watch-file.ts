/** What is watched, as a file to download. */
import type { App, RouteContext } from '../../monitor/http/route-types.ts';
import { describeAll } from '../../monitor/watch-file/describe.ts';
import { writeYaml } from '../../monitor/watch-file/write-yaml.ts';

export const WATCH_FILE_PATH = '/watch.yaml';

export function addWatchFile(app: App, { ctx }: RouteContext): void {
  app.get(WATCH_FILE_PATH, { config: { scope: 'read' } }, async (_request, reply) => {
    const { file, left_out } = await describeAll(ctx);
    return reply
      .type('application/yaml; charset=utf-8')
      .header('content-disposition', 'attachment; filename="watch.yaml"')
      .header('x-content-type-options', 'nosniff')
      .send(await writeYaml(file, left_out));
  });
}
