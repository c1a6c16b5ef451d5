/**
 * Where an application is served: at the root, or below a path of the same server. Its routes and addresses are written as at
 * the root; what leaves the server (pages, headers, cookies) gets the mount.
 */

/** The path below which an application is served; empty at the root. No route begins with it. */
export type Mount = '' | typeof SANDBOX_MOUNT;

export const SANDBOX_MOUNT = '/sandbox';

/** `/sandbox/topics/ferry` for `/topics/ferry`. Addresses of other servers, and those below the mount already, stay. */
export function addMount(mount: Mount, address: string): string {
  const isOwn = address.startsWith('/') && !address.startsWith('//');
  return !isOwn || removeMount(mount, address) !== undefined ? address : `${mount}${address}`;
}

/** `/topics/ferry` for `/sandbox/topics/ferry`; undefined for an address that is not below the mount, and without a mount. */
export function removeMount(mount: Mount, address: string): string | undefined {
  if (mount === '' || !address.startsWith(mount)) return undefined;
  const rest = address.slice(mount.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}

/** The name and path of a cookie of one application. A browser sends cookies of the root to every mount, so names differ, too. */
export function placeCookie(mount: Mount, name: string): { name: string; path: string } {
  return mount === '' ? { name, path: '/' } : { name: `${name}-${mount.slice(1)}`, path: mount };
}
