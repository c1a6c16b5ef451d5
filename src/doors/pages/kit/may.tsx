import type { ComponentChildren } from 'preact';
import { mayDo, type Scope } from '../../../monitor/access/scopes.ts';
import { useFrame } from './frame.ts';

/** What a new topic takes: it is written, and its searches run at once. */
export const WATCHES = ['write', 'run'] as const;

/** What is offered only to those who may do it. */
export function May({ scope, children }: { scope: Scope | readonly Scope[]; children: ComponentChildren }) {
  const { visitor } = useFrame();
  return mayDo(visitor, scope) ? <>{children}</> : null;
}
