/** JSON bodies of the API: limited depth and size, no members that change prototypes, well-formed Unicode. */
import { findStringEnd, tryParseJson } from '../lib/json-values.ts';
import { isUtf8 } from 'node:buffer';
import { InvalidInput } from '../model/errors.ts';
import type { App } from '../monitor/http/route-types.ts';

const MAX_DEPTH = 64;
/** Members and elements. Each invalid one is reported as a problem, and a body of 1 MB could have half a million. */
const MAX_PARTS = 2_000;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** An escaped surrogate. In valid UTF-8, an escape is the only way to write half of a pair. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** Parses `application/json` only. An empty body counts as no body; a byte order mark is skipped. */
export function addJsonParser(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes)) return done(refuseBody('body', 'JSON in UTF-8'));
    const body = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (body === '') return done(null, undefined);
    const { depth, commas } = measureJson(body);
    if (depth > MAX_DEPTH) return done(refuseBody('body', `JSON of at most ${MAX_DEPTH} levels`));
    if (commas >= MAX_PARTS)
      return done(refuseBody('body', `JSON of at most ${MAX_PARTS} members and elements`));
    return parse(request, body, (error, value) => {
      if (error !== null)
        return done(
          refuseBody('body', tryParseJson(body) === undefined ? EXPECTED_JSON : EXPECTED_NO_PROTOTYPES),
        );
      const broken = SURROGATE.test(body) ? findBrokenText(value, 'body') : undefined;
      if (broken !== undefined) return done(refuseBody(broken, 'text without unpaired surrogates'));
      done(null, value);
    });
  });
}

const EXPECTED_JSON = 'valid JSON';
const EXPECTED_NO_PROTOTYPES = 'JSON without a member __proto__ or constructor.prototype';

/** @returns the path of the first text or member name that cannot be encoded in UTF-8 */
function findBrokenText(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const broken = name.isWellFormed() ? findBrokenText(member, `${path}.${name}`) : path;
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/** Nesting depth and number of separating commas of a JSON text, without parsing it. */
export function measureJson(json: string): { depth: number; commas: number } {
  let level = 0;
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    // Skip strings: brackets and commas in them do not count.
    if (sign === QUOTE) at = findStringEnd(json, at);
    else if (sign === COMMA) commas += 1;
    else if (sign === OPEN_BRACE || sign === OPEN_BRACKET) depth = Math.max(depth, ++level);
    else if (sign === CLOSE_BRACE || sign === CLOSE_BRACKET) level -= 1;
  }
  return { depth, commas };
}

function refuseBody(path: string, expected: string): InvalidInput {
  return new InvalidInput([{ path, given: undefined, expected }]);
}
