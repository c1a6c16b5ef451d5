import { createLogger } from '../../src/platform/logger.ts';
import { assertSchema } from '../../src/store/db/migrate.ts';
import { SchemaMismatch } from '../../src/store/db/schema-state.ts';

/** How the schema of a database differs from the program's, or from that of another folder of migrations. */
export async function checkSchema(
  url: string,
  folder?: string,
): Promise<SchemaMismatch['difference'] | 'current'> {
  try {
    await assertSchema({ url, log: createLogger('silent'), folder });
    return 'current';
  } catch (error) {
    if (error instanceof SchemaMismatch) return error.difference;
    throw error;
  }
}
