/** What browsers are told of every answer. */
import type { FastifyHelmetOptions } from '@fastify/helmet';

/** Nothing inline, nothing of anybody else, and in nobody's frame. */
const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    'default-src': ["'self'"],
    'script-src': ["'self'"],
    'script-src-attr': ["'none'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  },
};

/** @param https whether BASE_URL says that we are reached by https; only then may browsers insist on it */
export function buildSecurityHeaders(https: boolean): FastifyHelmetOptions {
  return {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  };
}
