/** Bodies of the API: JSON, not too deep, not of too many parts, and nothing in it that would change what an object is. */
import { InvalidInput } from '../../../errors.ts';
import type { App } from '../../routes.ts';

export const DEPTH_MOST = 64;
/** Members and elements. Each that does not fit is a problem to be told: a megabyte of them would be half a million. */
const PARTS_MOST = 2_000;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Reads `application/json` and nothing else. An empty body is none. */
export function readJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    const { depth, commas } = measure(body);
    if (depth > DEPTH_MOST) return done(refusal(`JSON of at most ${DEPTH_MOST} levels`));
    if (commas >= PARTS_MOST) return done(refusal(`JSON of at most ${PARTS_MOST} members and elements`));
    return parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else
        done(refusal(isJson(body) ? 'JSON without members named __proto__' : 'JSON, and this is not JSON'));
    });
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** How deep a text of JSON goes, and how many commas part what is in it, found without parsing it. */
export function measure(json: string): { depth: number; commas: number } {
  let level = 0;
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    // What stands in a string is only text.
    if (sign === QUOTE) at = endOfString(json, at);
    else if (sign === COMMA) commas += 1;
    else if (sign === OPEN_BRACE || sign === OPEN_BRACKET) depth = Math.max(depth, ++level);
    else if (sign === CLOSE_BRACE || sign === CLOSE_BRACKET) level -= 1;
  }
  return { depth, commas };
}

/** @returns where the string that begins at `start` ends */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function refusal(expected: string): InvalidInput {
  return new InvalidInput([{ path: 'body', given: undefined, expected }]);
}
