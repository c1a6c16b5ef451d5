/** Leads messages for Telegram, whose host is fixed, to a receiver of the test. */
import { CHANNEL_KINDS } from '../../src/monitor/alerts/channels/channel-kinds.ts';
import { createTelegramKind } from '../../src/monitor/alerts/channels/telegram.ts';
import { systemResolve } from '../../src/platform/network.ts';

/** @param origin address of the Bot API for this process @returns undoes it */
export function leadTelegramTo(origin: string): () => void {
  const { telegram } = CHANNEL_KINDS;
  Object.assign(CHANNEL_KINDS, { telegram: createTelegramKind(systemResolve, origin) });
  return () => void Object.assign(CHANNEL_KINDS, { telegram });
}
