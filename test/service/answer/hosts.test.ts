import { expect, test } from 'vitest';
import { containsHost } from '../../../src/service/answering/unsafe-markup.ts';
import { watchProcessor } from '../../processor.ts';

test.each([
  'evil.zip',
  'evil.store',
  'go to Evil.MOV now',
  'win.bank.',
  'evil․example',
  'evil。example',
  'evil．com',
  'evil｡com',
  'evil·com',
  'ｅｖｉｌ.ｃｏｍ',
  'hxxp evil',
  'hxxps://evil',
  'evil dot com',
  'EVIL DOT COM',
  't dot me slash evilgroup',
  'evil[.]store',
  'evil (dot) zip',
  'evil{punkt}de',
  'evil . com',
  'evil.unheardof/path',
  'evil.unheardof:8080',
  '10.0.0.1:8080',
  'xn--e1a.xn--p1ai',
  'пример.рф',
  'sub-domain.evil_x.kids',
])('%j is a host', (text) => {
  expect(containsHost(`Tickets at ${text} for all`)).toBe(true);
});

test.each([
  'Node.js and Vue.js are fast.',
  'fruit, e.g. apples, i.e. what grows',
  'The U.S. economy and the U.K. one',
  'z.B. hier, d.h. dort, u.a. im Hafen',
  'It opens at 9 a.m. and closes at 5 p.m.',
  'Version 1.2.3 and v2.0.0-rc.1 are out',
  'He paid 3.50 or 1.250,00 on 12.5.2026.',
  'A B.Sc. and a Ph.D. in README.md, main.py and lib.rs',
  'A red dot in the middle, a polka dot top',
  'Wait...what? Yes. In the end.',
  'Mr.Smith of St.Gallen',
  '使用Python。Java也很好。',
  '着陸まであと三十分です。管制室は静かです。',
  'El col·legi és obert.',
  'Open 24/7 and/or later',
  'and so on ... com and net',
])('%j is not a host', (text) => {
  expect(containsHost(text)).toBe(false);
});

test('matches adversarial input quickly', () => {
  const computed = watchProcessor();
  for (const part of ['a.', 'dot ', '[ ', '1.', '.a', 'x . ', '。a', 'xn-'])
    containsHost(part.repeat(20_000));
  expect(computed()).toBeLessThan(1_000);
});
