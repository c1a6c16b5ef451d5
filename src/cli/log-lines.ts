/** Log lines on a terminal: one line for a person. Pipes get the JSON. */
import { isPlain, type Plain, tryParseJson } from '../lib/json-values.ts';
import { oneLine } from './terminal-text.ts';

/** `warning: a source failed: no answer (ENOTFOUND) (source mastodon, tool microblog)`. */
export function renderLogLine(json: string): string {
  const { level, msg, time: _time, err, why, reason, detail, ...fields } = parseLine(json);
  const cause = isPlain(err) ? err['message'] : err;
  const words = [level === 'warn' ? 'warning' : level, msg, cause, why, reason, detail].filter(isShown);
  const facts = Object.entries(fields).flatMap(([name, value]) =>
    isShown(value) ? [`${name} ${String(value)}`] : [],
  );
  // JSON escaped what a terminal would interpret; parsing it brought that back.
  return oneLine(`${words.join(': ')}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`);
}

/** Never throws, because a log line must not. */
function parseLine(json: string): Plain {
  const parsed = tryParseJson(json);
  return isPlain(parsed) ? parsed : { msg: json };
}

function isShown(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
}
