/** The form of a streamed response. The specification does not show it: this is the recorded one. */
import { judgeAiAnswer } from './answers.ts';
import type { Reply } from './client.ts';
import type { Names } from './names.ts';
import { isObject, shown } from './objects.ts';
import type { Report } from './report.ts';

const AT = 'Endpoints / A / Rules 4';
const ROLES = ['microblog_summary', 'discussion_board_summary', 'news_forum_summary', 'summary'];

export function judgeStream(
  report: Report,
  names: Names,
  { status, contentType, text }: Reply,
  tools: readonly string[],
): void {
  report.judge(
    'Endpoints / A / Request',
    'streaming: true is answered',
    status === 200 ? null : `status ${status}`,
  );
  if (status !== 200) return;
  const say = (says: string, problem: string | null) => report.judge(AT, says, problem, 'silent');
  const typed = contentType.startsWith('text/event-stream');
  say('the content type is text/event-stream', typed ? null : `is ${shown(contentType)}`);
  const data = text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim());
  say('ends with [DONE]', data.at(-1) === '[DONE]' ? null : `ends with ${shown(data.at(-1))}`);
  const events = data.filter((line) => line !== '[DONE]').map(eventOf);
  const broken = events.findIndex((event) => event === undefined);
  say('every event is a JSON object', broken === -1 ? null : shown(data[broken]));

  const failed = events.find((event) => event?.['error'] !== undefined);
  say('holds no error', failed === undefined ? null : shown(failed));
  const completion = events.findLast((event) => event?.['type'] === 'completion')?.['content'];
  say('holds its completion', completion === undefined ? 'there is none' : null);
  if (names.answers === 'flat') {
    const said = events
      .filter((event) => event?.['type'] === 'text' && event['role'] === 'summary')
      .map((event) => event?.['content'])
      .join('');
    say('the texts of the summary join to the completion', said === completion ? null : shown(said));
  }
  if (isObject(completion)) {
    for (const role of ROLES) {
      const name = names.member(role);
      const said = events
        .filter((event) => event?.['type'] === 'text' && event['role'] === name)
        .map((event) => event?.['content'])
        .join('');
      const problem = said === completion[name] ? null : `${role}: ${shown(said)}`;
      say('the texts of each role join to the completion’s', problem);
    }
  }
  const result = events.find((event) => event?.['type'] === 'result')?.['content'];
  say('holds the whole answer as its result', isObject(result) ? null : `is ${shown(result)}`);
  if (isObject(result)) judgeAiAnswer(report, names, result, tools);
}

function eventOf(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
