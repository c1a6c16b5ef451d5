import { addMount, type Mount } from '../../model/mount.ts';
import type { App } from './route-types.ts';

/** Headers of replies whose value is an address of this application. */
const ADDRESS_HEADERS = ['location', 'content-location'] as const;

/** Adds the mount to the headers of every reply. */
export function mountReplies(app: App, mount: Mount): void {
  if (mount === '') return;
  app.addHook('onSend', async (_request, reply, payload) => {
    for (const name of ADDRESS_HEADERS) {
      const address = reply.getHeader(name);
      if (typeof address === 'string') reply.header(name, addMount(mount, address));
    }
    return payload;
  });
}
