/** What this is, for whoever opens its address, and how it is spoken to. Needs no key. */
import type { FastifyInstance } from 'fastify';
import { type Dialect, paths } from '../contract/dialect.ts';
import { describeService } from './openapi.ts';

/** @param bases base addresses that answer: `/`, `/sandbox`, `/live` */
export function answerAbout(
  app: FastifyInstance,
  { version = 'unknown', webGroup = false }: { version?: string; webGroup?: boolean },
  dialects: readonly Dialect[],
  bases: readonly string[],
): void {
  const description = describeService(dialects, { version, webGroup, bases });
  app.get('/openapi.json', () => description);
  app.get('/', () => ({
    name: 'strandline search service',
    version,
    about: 'An implementation of the AI search specification over public sources, or a simulation of them.',
    operations: dialects.flatMap((dialect) => Object.values(paths(dialect))),
    below: bases,
    description: '/openapi.json',
    health: ['/healthz', '/healthz/sources'],
  }));
}
