/** The dashboard over twelve lived days, at an address of its own, for a browser to look at. */
import type { WebServer } from '../../src/doors/http/server.ts';
import { startWeb } from '../../src/web.ts';
import { homeOf } from '../cli/stand.ts';
import { type History, liveHistory } from '../house/questions/history.ts';

export type Stage = { history: History; web: WebServer; close(): Promise<void> };

export async function openStage(): Promise<Stage> {
  const history = await liveHistory();
  const web = await startWeb(homeOf(history.world));
  return {
    history,
    web,
    close: async () => {
      await web.close();
      await history.close();
    },
  };
}
