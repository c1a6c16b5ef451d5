import { addMount, type Mount } from '../../model/mount.ts';
import type { App } from './route-types.ts';

/** Adds the mount to the address in the header `Location` of every reply. */
export function mountReplies(app: App, mount: Mount): void {
  if (mount === '') return;
  app.addHook('onSend', async (_request, reply, payload) => {
    const address = reply.getHeader('location');
    if (typeof address === 'string') reply.header('location', addMount(mount, address));
    return payload;
  });
}
