/** A message about the last action, shown once on the next page. */
import { type Mount, placeCookie } from '../../model/mount.ts';
import type { FastifyReply } from 'fastify';

/** The cookie holds one of these names, never text, so nobody can inject a message. */
const FLASH_MESSAGES = {
  watching: 'Created. The first runs are starting; results appear here.',
  added: 'Added. The first run is starting; results appear here.',
  saved: 'Saved.',
  saved_request:
    'Saved. The request changed: what the next run finds was there at the start, and raises no alert.',
  unchanged: 'Nothing changed.',
  share_revoked: 'Revoked. The link no longer works.',
  view_saved: 'Saved. The view is listed on the overview.',
  view_removed: 'Removed.',
  note_removed: 'The note is removed.',
  address_corrected: 'The address had a part that this page does not have: what is nearest is shown.',
  renamed: 'Renamed.',
  paused: 'Paused. Queued runs are cancelled; runs in progress finish.',
  all_paused: 'All searches are paused. Queued runs are cancelled; runs in progress finish.',
  all_resumed: 'Resumed, but for what is paused alone or with its topic.',
  topics_paused: 'Paused the selected topics. Queued runs are cancelled; runs in progress finish.',
  topics_resumed: 'Resumed the selected topics. They run at their next slots.',
  none_selected: 'No topics were selected. Nothing changed.',
  resumed: 'Resumed. Runs at the next slot.',
  removed: 'Removed. Everything it found stays.',
  purging: 'Removed. What only it found is being deleted.',
  replayed: 'Parsed again, without a new call. Newly found items are listed below.',
  run: 'Run queued. Results appear here.',
  run_already_queued: 'A run is already queued. Results appear here.',
  rule_made: 'Created. The rule applies to what is found from now on.',
  told: 'Created. You are told about what is found from now on.',
  rule_saved: 'Saved. The change applies to what is found from now on.',
  rule_paused: 'Paused. Messages created before are still sent; what is found meanwhile is never reported.',
  rule_resumed: 'Resumed. Reports what is found from now on.',
  muted: 'Muted. Collection goes on; one message will sum up what is held back.',
  unmuted: 'No longer muted. What was held back is sent, summed up.',
  dismissed: 'Marked as not relevant. Lists and messages of this topic leave it out, and what says the same.',
  restored: 'Restored. Lists show it, and it can be reported again.',
  rule_removed: 'Rule removed. Messages not sent yet are cancelled; past deliveries stay.',
  channel_paused: 'Paused. Messages wait until you resume.',
  channel_resumed: 'Resumed. Waiting messages are sent.',
  channel_moved: 'Saved. Waiting and new messages go to this address.',
  channel_removed: 'Channel removed. Messages not sent yet are cancelled; past deliveries stay.',
  sent_again: 'Queued again, with the same ID and body.',
  feed_revoked: 'Revoked. Its address no longer works.',
  revoked: 'Revoked. The token and its sessions no longer work.',
} as const;
export type FlashCode = keyof typeof FLASH_MESSAGES;

const FLASH_COOKIE = 'done';

/** Redirects to a page that shows the message. */
export function redirectWithFlash(reply: FastifyReply, to: string, code: FlashCode): FastifyReply {
  const { name, path } = placeCookie(reply.request.frame.mount, FLASH_COOKIE);
  return reply.setCookie(name, code, { path, httpOnly: true, sameSite: 'lax', maxAge: 60 }).redirect(to, 303);
}

export function readFlash(cookies: Record<string, string | undefined>, mount: Mount): FlashCode | null {
  const code = cookies[placeCookie(mount, FLASH_COOKIE).name];
  return code !== undefined && Object.hasOwn(FLASH_MESSAGES, code) ? (code as FlashCode) : null; // one of its keys
}

export function clearFlash(reply: FastifyReply): void {
  const { name, path } = placeCookie(reply.request.frame.mount, FLASH_COOKIE);
  reply.clearCookie(name, { path });
}

export function FlashMessage({ code }: { code: FlashCode | null }) {
  if (code === null) return null;
  return (
    <p class="done" role="status">
      {FLASH_MESSAGES[code]}
    </p>
  );
}
