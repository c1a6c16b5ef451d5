import { userInfo } from 'node:os';
import type { Actor } from '../../store/audit.ts';

/** Who runs this command: the account of the operating system, by its name, or by its number where it has none. */
export function commandLine(): Actor {
  return { kind: 'command_line', name: accountName() };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
