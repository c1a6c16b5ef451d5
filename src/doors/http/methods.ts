/** By which methods an address is answered. */
import type { App } from '../routes.ts';

/** @returns the methods of the routes that an address without its query is of; none where there is nothing */
export function methodsAt(address: string, table: App['routeTable']): string[] {
  const steps = address.split('/');
  const isOf = (url: string) => {
    const own = url.split('/');
    return own.length === steps.length && own.every((step, i) => step.startsWith(':') || step === steps[i]);
  };
  return [...new Set(table.filter(({ url }) => isOf(url)).map(({ method }) => method))].toSorted();
}
