/** Checks a server against the specification, from its enumerations to its errors. */
import { expectMembers, judgeAiAnswer, judgeMicroblogAnswer } from './answers.ts';
import { type Client, createClient, type Reply } from './client.ts';
import type { Names } from './names.ts';
import { isObject, shown } from './objects.ts';
import { createReport, type Report } from './report.ts';
import { judgeStream } from './streamed.ts';

const TOOLS = [
  'Web Search',
  'News Forum Search',
  'Discussion Board Search',
  'Encyclopedia Search',
  'Video Search',
  'Microblog Search',
  'Preprint Search',
];
const MODELS = ['NOVA', 'ORBIT', 'HORIZON'];
const DATE_FILTERS =
  'PAST_24_HOURS PAST_2_DAYS PAST_WEEK PAST_2_WEEKS PAST_MONTH PAST_2_MONTHS PAST_YEAR PAST_2_YEARS'.split(
    ' ',
  );

export type Asked = {
  /** Base address, in front of the service's prefix. */
  url: string;
  names: Names;
  key: string;
  /** At most six calls, for a server that charges per call. */
  brief: boolean;
  prompt?: string;
};

export async function walk({
  prompt = 'tidal power',
  ...asked
}: Asked): Promise<{ report: Report; calls: number }> {
  const report = createReport();
  const client = createClient(asked);
  const { names } = asked;
  const ai = (more: object) => ({
    prompt,
    tools: TOOLS,
    model: 'NOVA',
    date_filter: 'PAST_MONTH',
    streaming: false,
    ...more,
  });
  const judgeAi = (reply: Reply, place: string, says: string, tools: readonly string[]) => {
    report.judge(place, says, succeeded(reply));
    if (reply.status === 200) judgeAiAnswer(report, names, reply.json, tools);
  };
  const judgePosts = (reply: Reply, place: string, says: string) => {
    report.judge(place, says, succeeded(reply));
    if (reply.status === 200) judgeMicroblogAnswer(report, names, reply.json);
  };

  expectMembers(report, names);
  judgeAi(await client.ai(ai({})), 'Resources / Enumerations', 'all tools together are answered', TOOLS);
  judgePosts(await client.microblog({ prompt, model: 'NOVA' }), 'Endpoints / B', 'model NOVA is answered');
  const streamed = ['News Forum Search', 'Discussion Board Search', 'Microblog Search'];
  judgeStream(report, names, await client.ai(ai({ tools: streamed, streaming: true })), streamed);
  const unknown = await client.ai(ai({ tools: ['Video Search'], nobody_knows_this: { at: 'all' } }));
  report.judge(
    'Endpoints / A / Request',
    'a member that nobody knows is ignored',
    succeeded(unknown),
    'silent',
  );
  if (unknown.status === 200) judgeAiAnswer(report, names, unknown.json, ['Video Search']);
  judgeRefused(report, await client.ai(ai({}), null), 'Authentication 4', 'A without a key is 401', [401]);
  judgeRefused(report, await client.ai({ prompt }), 'Errors', 'A without tools is 422', [422, 400]);
  if (asked.brief) return { report, calls: client.calls };
  if (names.answers === 'flat') await judgeLaterMembers(report, names, client, prompt);

  for (const tool of TOOLS) {
    const reply = await client.ai(ai({ tools: [tool], date_filter: 'PAST_YEAR' }));
    judgeAi(reply, 'Resources / Enumerations', `tool ${tool} is answered`, [tool]);
  }
  for (const model of MODELS) {
    const reply = await client.ai(ai({ tools: ['Encyclopedia Search'], model }));
    judgeAi(reply, 'Resources / Enumerations', `model ${model} is answered`, ['Encyclopedia Search']);
    judgePosts(await client.microblog({ prompt, model }), 'Endpoints / B', `model ${model} is answered`);
  }
  for (const date_filter of DATE_FILTERS) {
    const tools = ['Discussion Board Search', 'Preprint Search'];
    const reply = await client.ai(ai({ tools, date_filter }));
    judgeAi(reply, 'Resources / Enumerations', `date_filter ${date_filter} is answered`, tools);
  }
  const nothing = 'qzxv wkjh plmt rrgn';
  const tools = ['Preprint Search', 'Video Search'];
  const reply = await client.ai(ai({ prompt: nothing, tools, date_filter: 'PAST_24_HOURS' }));
  judgeAi(reply, 'Endpoints / A / Rules 1', 'a prompt that finds little has its groups all the same', tools);
  judgePosts(
    await client.microblog({ prompt: nothing }),
    'Endpoints / B',
    'a prompt that finds little is answered',
  );
  await judgeRefusals(report, client, ai, prompt);
  return { report, calls: client.calls };
}

/** Members of requests that only the flat form has. */
async function judgeLaterMembers(report: Report, names: Names, client: Client, prompt: string) {
  const place = 'Requests of 2026';
  const nulls = { date_filter: null, start_date: null, end_date: null, count: null, result_type: null };
  const bare = await client.ai({ prompt, tools: ['Web Search'], ...nulls });
  report.judge(place, 'optional members may be null', succeeded(bare));
  for (const count of [10, 200]) {
    const reply = await client.microblog({ prompt, count });
    const posts = isObject(reply.json) ? reply.json[names.member('miner_microblog_posts')] : undefined;
    const found = Array.isArray(posts) ? posts.length : 0;
    report.judge(
      place,
      'B returns at most as many posts as `count`',
      found <= count ? null : `${found} posts`,
    );
  }
  const only = await client.ai({ prompt, tools: ['Web Search'], result_type: 'ONLY_LINKS' });
  const { completion } = isObject(only.json) ? only.json : {};
  const written = completion === null || completion === undefined || completion === '';
  report.judge(place, 'ONLY_LINKS has no completion', written ? null : `is ${shown(completion)}`, 'silent');
  const much = await client.microblog({ prompt, count: 201 });
  judgeRefused(report, much, 'Errors', 'B with a count of 201 is 422', [422, 400]);
}

async function judgeRefusals(
  report: Report,
  client: Client,
  ai: (more: object) => object,
  prompt: string,
): Promise<void> {
  const wrong = 'no-key-of-this-server';
  judgeRefused(
    report,
    await client.ai(ai({}), wrong),
    'Authentication 4',
    'A with a wrong key is 401',
    [401, 403],
  );
  judgeRefused(
    report,
    await client.microblog({ prompt }, null),
    'Authentication 4',
    'B without a key is 401',
    [401],
  );
  judgeRefused(
    report,
    await client.microblog({ prompt }, wrong),
    'Authentication 4',
    'B with a wrong key is 401',
    [401, 403],
  );
  const bad: [says: string, body: unknown][] = [
    ['A with a body that is no JSON', '{"prompt": '],
    ['A with an empty object', {}],
    ['A with a tool that there is not', ai({ tools: ['Tea Leaf Search'] })],
    ['A with no tool at all', ai({ tools: [] })],
    ['A with a model that there is not', ai({ model: 'COMET' })],
    ['A with a date_filter that there is not', ai({ date_filter: 'PAST_DECADE' })],
    ['A with a number for a prompt', ai({ prompt: 7 })],
    ['A with a word for streaming', ai({ streaming: 'please' })],
  ];
  for (const [says, body] of bad)
    judgeRefused(report, await client.ai(body), 'Errors', `${says} is 422`, [422, 400]);
  judgeRefused(report, await client.microblog({}), 'Errors', 'B with an empty object is 422', [422, 400]);
  judgeRefused(
    report,
    await client.microblog({ prompt, model: 'COMET' }),
    'Errors',
    'B with a model that there is not is 422',
    [422, 400],
  );
}

function succeeded({ status, json }: Reply): string | null {
  if (status !== 200) return `status ${status}`;
  return json === undefined ? 'is no JSON' : null;
}

/** The status of a refusal is not specified: only that invalid input is refused. */
function judgeRefused(
  report: Report,
  { status, json }: Reply,
  place: string,
  says: string,
  statuses: number[],
): void {
  report.judge(place, says, statuses.includes(status) ? null : `status ${status}`, 'silent');
  if (place.startsWith('Authentication')) {
    report.judge(
      'Authentication 1',
      'nobody is answered without a key',
      status === 200 ? 'status 200' : null,
    );
  }
  const detail = typeof json === 'object' && json !== null && 'detail' in json;
  report.judge('Errors', 'the body of a refusal has a detail', detail ? null : 'it has none', 'silent');
}
