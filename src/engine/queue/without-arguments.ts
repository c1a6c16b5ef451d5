/**
 * The same error without the command that failed: ioredis puts it beside the message, with its arguments, and those of
 * AUTH and HELLO hold the password. Every error of a Redis passes here before anybody may log it.
 */
export function withoutArguments<E>(error: E): E {
  if (error instanceof Error && 'command' in error) delete error.command;
  return error;
}
