/**
 * Who opens a shared page. The route of the link requests its page from this server, on behalf of a visitor who may only read; no
 * header says so, since a client could send it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Visitor } from './visitor-scopes.ts';

const current = new AsyncLocalStorage<Visitor>();

/** @param share public part of its key, and until when it works */
export function openAsShared<T>(
  share: { prefix: string; expires_at: Date },
  work: () => Promise<T>,
): Promise<T> {
  const { prefix, expires_at: until } = share;
  return current.run({ kind: 'shared', scopes: new Set(['read']), name: prefix, until }, work);
}

/** The visitor of a request that {@link openAsShared} makes; undefined for requests of clients. */
export function getSharedVisitor(): Visitor | undefined {
  return current.getStore();
}
