/** Headers that commands send. */

/** The version of the command; a server of another version refuses the request, and says its own. */
export const VERSION_HEADER = 'strandline-version';
/** The operating system account that runs the command, percent-encoded; taken with the key of the data directory only. */
export const ACCOUNT_HEADER = 'strandline-account';
