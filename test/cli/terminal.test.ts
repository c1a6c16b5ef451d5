/** Output on a terminal: hints to paste, warnings as sentences, wrapped lines, local times, plain errors. */
import { describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../src/app/service-access.ts';
import { reportError } from '../../src/cli/error-messages.ts';
import { findProgramName, nameProgram, wrapMessage } from '../../src/cli/program-name.ts';
import { describeSources, describeWatchConsequence } from '../../src/cli/server-startup.ts';
import type { Io } from '../../src/cli/terminal-io.ts';
import { formatCost, formatInstant, formatClockTime } from '../../src/cli/value-formatting.ts';
import { collector, quietCli } from './stand.ts';

function openTerminal(over: Partial<Io> = {}) {
  const stderr = collector();
  const io = { stderr: Object.assign(stderr.stream, { isTTY: true }), isTTY: true, columns: 60, ...over };
  return { cli: quietCli(io), text: () => stderr.text() };
}

describe('hints', () => {
  const NPM = 'npm run -s strandline --';

  it.each([
    ['/work/strandline/src/main.ts', {}, NPM],
    ['/usr/lib/node_modules/strandline/dist/main.js', {}, 'strandline'],
    ['/home/me/.npm/_npx/1/node_modules/.bin/strandline', { npm_command: 'exec' }, 'npx strandline'],
  ])('name the program when started by %s', (script, env, expected) => {
    expect(findProgramName(script, env)).toBe(expected);
  });

  it('prefix only its own commands with the program name', () => {
    expect(
      nameProgram('see: strandline runs list; strandline stopped', { program: NPM, kind: 'real' }, ['runs']),
    ).toBe(`see: ${NPM} runs list; strandline stopped`);
  });

  it('name the program in all messages, including errors of other layers', () => {
    const { cli, text } = openTerminal({ program: NPM });
    cli.say('No runs. See: strandline runs list');
    expect(text()).toBe(`No runs. See: ${NPM} runs list\n`);
  });

  it('keep a command on one line', () => {
    expect(wrapMessage('Nothing is running here. Start one: strandline up', 30, 'strandline')).toEqual([
      'Nothing is running here. Start',
      'one:',
      '  strandline up',
    ]);
    expect(wrapMessage('  two words, and some more', 16, 'strandline')).toEqual([
      '  two words, and',
      '  some more',
    ]);
  });
});

describe('log lines', () => {
  it('are sentences on a terminal', () => {
    const { cli, text } = openTerminal();
    cli.log().warn({ source: 'mastodon', why: 'no answer (ENOTFOUND)' }, 'source failed');
    expect(text()).toBe('warning: source failed: no answer (ENOTFOUND) (source\nmastodon)\n');
  });

  it('contain nothing that a terminal would interpret', () => {
    const { cli, text } = openTerminal();
    cli.log().warn({ detail: 'HTTP 401: \u001b]0;x\u0007\u001b[2J\u202eno' }, 'run failed');
    expect(text()).toBe('warning: run failed: HTTP 401: no\n');
  });

  it('never throw: a numeric secret in them leaves them readable', () => {
    const { cli, text } = openTerminal({ env: { DATABASE_URL: 'postgres://u:5432@host:5432/db' } });
    cli.log().warn({ port: 5432, detail: 'port 54321' }, 'database unreachable');
    expect(text()).not.toContain('5432');
    expect(text()).toContain('database unreachable');
    expect(text()).toContain('port [hidden]');
  });

  it('are JSON in a pipe and at debug level', () => {
    for (const over of [{ stderr: collector().stream }, { env: { LOG_LEVEL: 'debug' } }]) {
      const stderr = collector();
      const { cli } = openTerminal({
        ...over,
        stderr: Object.assign(stderr.stream, { isTTY: 'env' in over }),
      });
      cli.log().warn({ source: 'x' }, 'source failed');
      expect(JSON.parse(stderr.text())).toMatchObject({ level: 'warn', source: 'x', msg: 'source failed' });
    }
  });
});

describe('operating system errors are named', () => {
  const fault = (code: string, message = 'it failed') => Object.assign(new Error(message), { code });

  it.each([
    ['a full disk', fault('ENOSPC'), /^error: the disk is full: .* \(it failed\)$/m],
    ['a full disk of the database', fault('53100'), /^error: the database's disk is full: .*\[53100\]\)$/m],
    ['a read-only file system', fault('EROFS'), /^error: the file system is read-only: /m],
    ['a directory without permission', fault('EACCES'), /^error: permission denied: /m],
    ['no network', fault('ENOTFOUND'), /^error: no network: DNS lookup failed /m],
    [
      'an error inside a cause',
      new Error('x', { cause: fault('EROFS') }),
      /^error: the file system is read-only: /m,
    ],
    ['no database', fault('ECONNREFUSED'), /^error: the database is unreachable .*strandline doctor$/m],
  ])('%s', (_name, error, expected) => {
    const stderr = collector();
    expect(reportError(quietCli({ stderr: stderr.stream }), error)).toBe(1);
    expect(stderr.text()).toMatch(expected);
  });
});

describe('a refused DATABASE_URL', () => {
  const refuse = (code: string, message = 'refused') => Object.assign(new Error(message), { code });
  it.each([
    [
      'nothing listens',
      refuse('ECONNREFUSED'),
      'start Postgres there, or correct host and port in DATABASE_URL',
    ],
    ['two addresses', new AggregateError([refuse('ECONNREFUSED')], ''), 'start Postgres there'],
    ['wrong password', refuse('28P01'), 'correct user and password in DATABASE_URL'],
    ['TLS required', refuse('28000', 'no pg_hba.conf entry, no encryption'), 'add ?sslmode=require'],
    ['no TLS', new Error('The server does not support SSL connections'), 'remove sslmode from DATABASE_URL'],
    ['unknown database', refuse('3D000'), 'createdb NAME'],
    ['too many clients', refuse('53300'), 'raise max_connections'],
    [
      'inside a failed query',
      new Error('Failed query: x', { cause: refuse('28P01') }),
      'correct user and password',
    ],
  ])('names the next step: %s', (_name, error, step) => {
    const stderr = collector();
    const cli = quietCli({
      stderr: stderr.stream,
      env: { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' },
    });
    expect(reportError(cli, error)).toBe(1);
    expect(stderr.text()).toMatch(/^error: the database is unreachable /);
    expect(stderr.text()).toContain(step);
    expect(stderr.text()).toContain('strandline doctor');
  });
});

describe('sources at startup', () => {
  const probe = (name: string, words: string): ProbeResult => ({
    name,
    source: 'web',
    title: name,
    outcome: words === 'reachable' ? 'reachable' : 'unreachable',
    words,
  });
  const NO_DNS = 'not reachable (failed: no answer (ENOTFOUND))';

  it('print one line without a network', () => {
    expect(
      describeSources(
        [probe('a', NO_DNS), probe('b', NO_DNS)],
        'unreachable',
        describeWatchConsequence(false),
      ),
    ).toEqual(['no network: new topics start when a source is reachable']);
  });

  it('print why none is reachable if it is not the network', () => {
    const down = 'not reachable (failed: HTTP 503)';
    expect(
      describeSources([probe('a', down), probe('b', NO_DNS)], 'unreachable', describeWatchConsequence(false)),
    ).toEqual([`a  ${down}`, `b  ${NO_DNS}`, 'none reachable: new topics start when a source is reachable']);
  });

  it('print one line each if one is reachable', () => {
    const lines = describeSources(
      [probe('a', NO_DNS), probe('b', 'reachable')],
      'answering',
      describeWatchConsequence(false),
    );
    expect(lines).toEqual([`a  ${NO_DNS}`, 'b  reachable', 'new topics use these sources']);
  });
});

describe('values', () => {
  it.each([
    [null, true, 'free'],
    [0, false, 'free'],
    [null, false, 'not reported'],
    [0.0125, false, '$0.0125'],
  ])('cost %s (free: %s) prints as %s', (usd, free, expected) => {
    expect(formatCost(usd, { free })).toBe(expected);
  });

  it.each([
    ['UTC', '2026-11-21 23:05:09Z', '23:05:09Z'],
    ['Europe/Berlin', '2026-11-22 00:05:09+01:00', '00:05:09+01:00'],
    ['America/St_Johns', '2026-11-21 19:35:09-03:30', '19:35:09-03:30'],
  ])('times in %s include the offset', (zone, instant, time) => {
    const at = new Date('2026-11-21T23:05:09Z');
    expect([formatInstant(at, { unknown: '–', zone }), formatClockTime(at, { zone })]).toEqual([
      instant,
      time,
    ]);
  });

  it('times in a pipe are UTC', () => {
    expect(quietCli({ zone: 'Europe/Berlin' }).page.zone).toBe('UTC');
    expect(openTerminal({ zone: 'Europe/Berlin' }).cli.page.zone).toBe('Europe/Berlin');
  });
});
