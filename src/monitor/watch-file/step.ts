/** What applying a file does to one resource. */
import type { Existing, ResourceKind, Wanted } from './resource.ts';

/**
 * `adopt`: it exists, nobody owns it, and it becomes the file's, with its changes. `release`: it is no longer the file's. `keep`: it
 * is the file's, but not in the file any more.
 */
export const STEP_ACTIONS = ['create', 'change', 'adopt', 'remove', 'release', 'keep', 'unchanged'] as const;
export type StepAction = (typeof STEP_ACTIONS)[number];

/** A change, as it is applied. */
export type Step = {
  kind: ResourceKind;
  action: StepAction;
  wanted: Wanted | undefined;
  before: Existing | undefined;
  owner: string | null;
  changed: Record<string, unknown>;
  note: string | null;
};

export const isActive = ({ action }: Pick<Step, 'action'>): boolean =>
  action !== 'unchanged' && action !== 'keep';
