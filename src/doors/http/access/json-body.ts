/** Bodies of the API: JSON, not too deep, and nothing in it that would change what an object is. */
import { InvalidInput } from '../../../errors.ts';
import type { App } from '../../routes.ts';

export const DEPTH_MOST = 64;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads `application/json` and nothing else. An empty body is none. */
export function readJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    if (depthOf(body) > DEPTH_MOST) return done(refusal(`JSON of at most ${DEPTH_MOST} levels`));
    return parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(refusal('JSON, without members named __proto__'));
    });
  });
}

/** How deep a text of JSON goes, found without parsing it. Brackets in strings are only text. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(json, at);
    else if (sign === OPEN_BRACE || sign === OPEN_BRACKET) deepest = Math.max(deepest, ++depth);
    else if (sign === CLOSE_BRACE || sign === CLOSE_BRACKET) depth -= 1;
  }
  return deepest;
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
