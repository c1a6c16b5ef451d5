/** Below this path the simulation answers, whatever sources are configured. */
export const SANDBOX_PATH = '/sandbox';
/** Below this path the configured live sources answer and nothing invented ever does. */
export const LIVE_PATH = '/live';
