/** How a person changes the state of a topic, a search, a rule or a channel. */
export type StateChange = 'pause' | 'resume' | 'remove';

/** What the audit log calls it. */
export const CHANGE_RECORDED = { pause: 'paused', resume: 'resumed', remove: 'removed' } as const;

/** In which state it leaves a rule or a channel. */
export const STATE_AFTER = { pause: 'paused', resume: 'active' } as const;
