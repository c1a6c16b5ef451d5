/** A channel from an address that a person pasted into another form. */
import type { FastifyRequest } from 'fastify';
import { HIDDEN, InvalidInput } from '../../model/errors.ts';
import { hasScopes } from '../../monitor/access/visitor-scopes.ts';
import { newChannel } from '../../monitor/alerts/channel-shapes.ts';
import type { Settings } from '../../monitor/alerts/channels/channel-kind.ts';
import type { NewChannel, WrittenChannel } from '../../monitor/alerts/manage-channels.ts';
import { createNamedChannel } from '../../monitor/alerts/notify-about.ts';
import { decodeInput } from '../../monitor/http/request-problems.ts';

/** @throws InvalidInput if the address is not recognized */
export function readPastedSettings(address: string): Settings {
  const { slug: _slug, ...settings } = decodeInput(newChannel, { slug: 'new', address }) as WrittenChannel; // texts, all of them
  return settings;
}

/** @throws InvalidInput if the address is not recognized or not allowed, or the visitor may not create channels */
export async function createPastedChannel(request: FastifyRequest, address: string): Promise<NewChannel> {
  if (!hasScopes(request.visitor, 'admin'))
    throw new InvalidInput([
      {
        path: 'channels',
        given: HIDDEN,
        expected: 'one of the channels; a new one requires the scope admin',
      },
    ]);
  return createNamedChannel(request.acting, readPastedSettings(address));
}
