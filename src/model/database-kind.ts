/**
 * A database is real, or that of the sandbox, whose search service makes everything up. A program is opened for one database, and
 * refuses the other kind, so the two are never mixed.
 */
export const DATABASE_KINDS = ['real', 'sandbox'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

/** The schema of the views: the SQL contract. */
export const ANALYTICS = 'strandline_analytics';
