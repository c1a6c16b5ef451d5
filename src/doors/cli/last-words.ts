import { readConfig } from '../../config.ts';
import { createLogger } from '../../engine/logger.ts';
import { secretsOf } from './secrets.ts';

/**
 * What nobody caught ends the process, as it must; but it is told as every error is. Node by itself would print all
 * that a library hung on it: parameters of a statement, arguments of a command.
 */
export function tellLastWords(env: Readonly<Record<string, string | undefined>>): void {
  process.on('uncaughtException', (err) => {
    createLogger('fatal', secretsIn(env)).fatal({ err }, 'strandline broke off: this is a fault of its own');
    process.exit(1);
  });
}

function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  try {
    return secretsOf(readConfig(env));
  } catch {
    return []; // said already by the command that reads it
  }
}
