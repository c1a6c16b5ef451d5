/** What was just done, said once on the page that follows. */
import type { FastifyReply } from 'fastify';

/** A cookie carries no more than one of these names: no words of anybody else can be made to stand here. */
const FLASH_MESSAGES = {
  watching: 'Watching. Its searches run now for the first time; what they find appears here.',
  added: 'Added. It runs now for the first time; what it finds appears here.',
  saved: 'Saved.',
  saved_request: 'Saved. The request changed: its next run is a new baseline and raises no alert.',
  unchanged: 'Nothing changed.',
  renamed: 'Renamed.',
  paused: 'Paused. What waited is cancelled; what runs ends by itself.',
  resumed: 'Going on at the next slot.',
  removed: 'Removed. What it found stays.',
  replayed:
    'Read again by the reader of today; nobody was called. What it found that was not found before stands below as new.',
  run: 'A run is queued. A worker takes it at once; what it finds appears here.',
  run_already_queued: 'A run is already queued. A worker takes it at once; what it finds appears here.',
  rule_made: 'Saved. What is found from now on is judged by this rule.',
  rule_saved: 'Saved. What was found until now was judged by the rule as it was.',
  rule_paused: 'Paused. What is found meanwhile is not told; what was judged before is still sent.',
  rule_resumed: 'Going on. It tells of what is found from now on.',
  rule_removed: 'The rule is gone, and what it had not sent yet is cancelled. What was sent stays.',
  channel_paused: 'Paused. What is found meanwhile waits.',
  channel_resumed: 'Going on. What waited is sent.',
  channel_moved: 'Saved. What waits, and what is found from now on, is sent to this address.',
  channel_removed: 'The channel is gone, and what was not sent yet is cancelled. What was sent stays.',
  sent_again: 'Sent again, with the same id and body.',
  revoked: 'Revoked. Nobody comes in with it any more.',
} as const;
export type FlashCode = keyof typeof FLASH_MESSAGES;

const FLASH_COOKIE = 'done';

/** Goes on to a page that says what was done. */
export function redirectWithFlash(reply: FastifyReply, to: string, code: FlashCode): FastifyReply {
  return reply
    .setCookie(FLASH_COOKIE, code, { path: '/', httpOnly: true, sameSite: 'lax', maxAge: 60 })
    .redirect(to, 303);
}

/** What the last request has done, by its cookie. */
export function readFlash(cookies: Record<string, string | undefined>): FlashCode | null {
  const code = cookies[FLASH_COOKIE];
  return code !== undefined && Object.hasOwn(FLASH_MESSAGES, code) ? (code as FlashCode) : null; // one of its keys
}

/** It is said once. */
export function clearFlash(reply: FastifyReply): void {
  reply.clearCookie(FLASH_COOKIE, { path: '/' });
}

export function FlashMessage({ code }: { code: FlashCode | null }) {
  if (code === null) return null;
  return (
    <p class="done" role="status">
      {FLASH_MESSAGES[code]}
    </p>
  );
}
