/** Every way an attempt to send a message can fail, and what it means to a person. Stored: only ever add. */
export const DELIVERY_CODES = {
  http_status: 'the receiver answered with a status that is no success',
  redirect: 'the receiver redirected; redirects are not followed',
  gone: 'the receiver answered 410: it wants no more messages',
  slow_down: 'the receiver asked to be left alone for a while',
  timeout: 'the receiver did not answer within the time limit',
  dns: 'the name of the host could not be looked up',
  refused: 'nothing listens at the address, or it cannot be reached',
  broken: 'the connection broke before an answer came',
  tls: 'the certificate of the receiver is not valid',
  address: 'the address does not lead to a public host, and WEBHOOK_ALLOW does not name it',
  secret: 'the secret of the channel cannot be opened with the master key of this process',
  internal: 'strandline itself failed',
} as const;

export type DeliveryCode = keyof typeof DELIVERY_CODES;
/** Every {@link DeliveryCode}. */
export const DELIVERY_CODE_NAMES = Object.keys(DELIVERY_CODES) as [DeliveryCode, ...DeliveryCode[]]; // Object.keys forgets the key type
