import type { ComponentChildren } from 'preact';
import { mayDo, type Scope } from '../../../monitor/access/scopes.ts';
import { useFrame } from './frame.ts';

/** What a new topic takes: it is written, and its searches run at once. */
export const WATCHES = ['write', 'run'] as const;

/** What is offered only to those who may do it; nothing to others, unless said `otherwise`. */
export function May({
  scope,
  otherwise,
  children,
}: {
  scope: Scope | readonly Scope[];
  otherwise?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { visitor } = useFrame();
  return <>{mayDo(visitor, scope) ? children : otherwise}</>;
}
