/** `LINK_RULES`: what is accepted, and what is said of what is not. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { makeDirectory } from '../temporary.ts';

const read = (text: string) => readConfig({ LINK_RULES: text }).linkRules;

test('rules are JSON, or a file with it', async () => {
  const rules = [
    { host: 'shop.example', keep: ['id'] },
    { host: 'amp.com.au', drop: ['c'] },
    { host: 'mirror.example', alias: 'x.com' },
  ];
  expect(read('')).toEqual([]);
  expect(read(JSON.stringify(rules))).toEqual(rules);
  const file = path.join(await makeDirectory(), 'rules.json');
  writeFileSync(file, JSON.stringify(rules));
  expect(read(file)).toEqual(rules);
});

test.each([
  ['[{', 'this is no JSON'],
  ['/no/such/file.json', 'the file cannot be read'],
  ['[{"host":"A.example","keep":[]}]', 'rule 1, host'],
  ['[{"host":"www.a.example","keep":[]}]', 'rule 1, host'],
  ['[{"host":"a.example"}]', 'rule 1: '],
  ['[{"host":"a.example","keep":["a"],"drop":["b"]}]', 'not both'],
  ['[{"host":"b.example","drop":["b"]},{"host":"a.example","dorp":["b"]}]', 'rule 2'],
  [
    '[{"host":"a.example","drop":["b"]},{"host":"c.a.example","drop":["d"]}]',
    'rule 2: an earlier rule covers its host',
  ],
  ['[{"host":"a.example","alias":"b.example"},{"host":"b.example","alias":"a.example"}]', 'rule 1: '],
  ['[{"host":"a.example","alias":"twitter.com"}]', 'name the host that stays'],
])('%s is refused', (text, said) => {
  expect(() => read(text)).toThrow(said);
});
