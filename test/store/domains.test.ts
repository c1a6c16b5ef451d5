import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DOMAIN_BY_PATTERN, DOMAIN_SQL } from '../../src/store/volume/domain.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const part = fc.constantFrom(
  'http',
  'https',
  'HTTPS',
  'ftp',
  '://',
  '/',
  '//',
  'www.',
  'WWW.',
  'www',
  'Example.org',
  'a',
  '.',
  ':',
  '8080',
  '@',
  '?',
  '#',
  'ü',
  ' ',
);

test('the domain of an address is the same as by the regular expression', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), fc.array(part, { maxLength: 7 })), { minLength: 200, maxLength: 200 }),
      async (given) => {
        const addresses = given.map(([isWeb, parts]) => (isWeb ? 'https://' : '') + parts.join(''));
        const { rows } = await world.db.pool.query(
          `SELECT a, ${DOMAIN_BY_PATTERN} AS expected, ${DOMAIN_SQL} AS domain FROM unnest($1::text[]) a`,
          [addresses],
        );
        expect(rows).toHaveLength(addresses.length);
        expect(rows.filter(({ domain, expected }) => domain !== expected)).toEqual([]);
      },
    ),
    { numRuns: 50 },
  );
  const { rows } = await world.db.pool.query(
    `SELECT ${DOMAIN_SQL} AS domain FROM unnest($1::text[]) WITH ORDINALITY u(a, n) ORDER BY n`,
    [['https://www.Example.org/a?b', 'http://user@example.org:8080/', 'https://www.', 'mailto:a@b.org']],
  );
  expect(rows.map(({ domain }) => domain)).toEqual(['example.org', 'example.org', 'www.', null]);
});
