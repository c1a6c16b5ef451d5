/** How a plan looks on a terminal: a line for each change, those inside of a topic below it. */
import type { Plan, PlanStep } from '../monitor/watch-file/plan.ts';
import type { StepAction } from '../monitor/watch-file/step.ts';
import { formatTenths } from '../lib/display-format.ts';
import type { TerminalPage } from './terminal-io.ts';
import { measureWidth, oneLine, padText, truncate, wrapText } from './terminal-text.ts';
import { formatQuantity } from './value-formatting.ts';

type Look = { sign: string; paint: 'green' | 'yellow' | 'cyan' | 'red' | 'dim'; done: string };

/** In the order of the summary. */
const LOOKS: Readonly<Record<StepAction, Look>> = {
  create: { sign: '+', paint: 'green', done: 'to create' },
  change: { sign: '~', paint: 'yellow', done: 'to change' },
  adopt: { sign: '=', paint: 'cyan', done: 'to adopt' },
  remove: { sign: '-', paint: 'red', done: 'to remove' },
  release: { sign: '<', paint: 'cyan', done: 'to release' },
  keep: { sign: '.', paint: 'dim', done: 'kept' },
  unchanged: { sign: ' ', paint: 'dim', done: 'unchanged' },
};
const ACTIONS = Object.keys(LOOKS) as StepAction[]; // Object.keys loses the key type

/** All but what is unchanged. */
export function renderPlan({ steps }: Pick<Plan, 'steps'>, page: TerminalPage): string[] {
  const shown = groupByTopic(steps.filter(({ action }) => action !== 'unchanged'));
  const nameWidth = shown.reduce(
    (most, { step, depth }) => Math.max(most, depth * 2 + measureWidth(oneLine(step.key))),
    0,
  );
  return shown.flatMap(({ step, depth, isHead }) =>
    renderStep(step, { depth, isHead, page, width: Math.min(nameWidth, 44) }),
  );
}

type Shown = { step: PlanStep; depth: number; isHead: boolean };

/** What is inside of a topic follows it; a topic that is unchanged is a heading then. */
function groupByTopic(steps: readonly PlanStep[]): Shown[] {
  const topics = [
    ...new Set(steps.flatMap(({ kind, key, topic }) => topic ?? (kind === 'topic' ? key : []))),
  ];
  const first = steps.findIndex(({ kind, topic }) => topic !== null || kind === 'topic');
  const others = (step: PlanStep) => step.topic === null && step.kind !== 'topic';
  const flat = (step: PlanStep): Shown => ({ step, depth: 0, isHead: false });
  return [
    ...steps.filter((step, i) => others(step) && i < first).map(flat),
    ...topics.flatMap((topic): Shown[] => {
      const own = steps.find(({ kind, key }) => kind === 'topic' && key === topic);
      const head: PlanStep = own ?? {
        action: 'unchanged',
        kind: 'topic',
        key: topic,
        topic: null,
        changes: {},
        baseline: false,
        note: null,
      };
      const inside = steps.filter((step) => step.topic === topic);
      return [
        { step: head, depth: 0, isHead: own === undefined },
        ...inside.map((step) => ({ step, depth: 1, isHead: false })),
      ];
    }),
    ...steps.filter((step, i) => others(step) && (i > first || first === -1)).map(flat),
  ];
}

type Placing = { depth: number; isHead: boolean; page: TerminalPage; width: number };
const KIND_WIDTH = 7;

function renderStep(step: PlanStep, { depth, isHead, page, width }: Placing): string[] {
  const { sign, paint } = LOOKS[step.action];
  const { colors } = page;
  const indent = '  '.repeat(depth);
  const name = padText(oneLine(step.key), width - depth * 2);
  const start = `${indent}${colors[paint](sign)} ${colors.dim(padText(step.kind, KIND_WIDTH))} ${isHead ? colors.dim(name) : name}`;
  const margin = ' '.repeat(indent.length + 2 + KIND_WIDTH + 1);
  const room = page.width - margin.length;
  const changes = Object.entries(step.changes).map(
    ([field, change]) => [field, describeChange(change)] as const,
  );
  const said = [
    ...(step.action === 'create' ? changes.map((parts) => parts.join(' ')) : []),
    ...(step.note === null ? [] : [step.note]),
    ...(step.baseline && step.action !== 'create' ? ['new baseline'] : []),
  ].join(', ');
  const beside = room - measureWidth(name) - 2;
  const short = truncate(said, beside < MIN_ROOM ? room : beside, page.more);
  const fields = changes.reduce((most, [field]) => Math.max(most, field.length), 0);
  return [
    beside < MIN_ROOM || said === '' ? start.trimEnd() : `${start}  ${colors.dim(short)}`,
    ...(beside < MIN_ROOM && said !== '' ? [`${margin}${colors.dim(short)}`] : []),
    ...(step.action === 'create' ? [] : changes).flatMap(([field, text]) =>
      wrapText(text, room - fields - 2).map(
        (line, i) => `${margin}${colors.dim(padText(i === 0 ? field : '', fields))}  ${line}`,
      ),
    ),
  ];
}

/** Of a value before and after a change. */
const MAX_VALUE_WIDTH = 200;

/** Below this, what is said of a resource is on a line of its own. */
const MIN_ROOM = 24;

/** `1h → 30m`, or `30m` of a new resource. */
function describeChange({ before, after }: { before?: unknown; after?: unknown }): string {
  if (before === undefined) return formatValue(after);
  return `${formatValue(before)} → ${formatValue(after)}`;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(',');
  if (typeof value === 'object' && Object.keys(value).length === 0) return 'none';
  const words = typeof value === 'string' ? value : JSON.stringify(value);
  const text = truncate(oneLine(words), MAX_VALUE_WIDTH);
  return /[\s,]/.test(text) ? `"${text}"` : text;
}

/** `3 to create, 1 to change, 27 unchanged` */
export function summarizePlan({ steps }: Pick<Plan, 'steps'>): string {
  const counts = ACTIONS.map(
    (action) => [action, steps.filter((step) => step.action === action).length] as const,
  );
  return (
    counts.flatMap(([action, n]) => (n === 0 ? [] : [`${n} ${LOOKS[action].done}`])).join(', ') ||
    'nothing in the file'
  );
}

/** `Paid calls a day: hosted 240 → 312, at most 500` */
export function describeCalls({ calls }: Pick<Plan, 'calls'>): string[] {
  const line = (title: string, free: boolean) => {
    const parts = calls
      .filter((each) => each.free === free)
      .map(({ service, before, after, limit }) => {
        const change =
          before === after ? formatTenths(after) : `${formatTenths(before)} → ${formatTenths(after)}`;
        return `${service} ${change}${limit === null ? '' : `, at most ${formatTenths(limit)}`}`;
      });
    return parts.length === 0 ? [] : [`${title} calls a day: ${parts.join('; ')}`];
  };
  return [...line('Paid', false), ...line('Free', true)];
}

/** What follows from a plan, for a person. */
export function explainPlan({ steps, differs, name }: Plan): string[] {
  const kept = steps.filter(({ action }) => action === 'keep').length;
  const again = steps.filter(({ action, baseline }) => baseline && action !== 'create').length;
  const created = steps.filter(({ action, kind }) => action === 'create' && kind === 'search').length;
  return [
    ...(created === 0
      ? []
      : [
          `${formatQuantity(created, 'new search', 'new searches')}: the first run of each starts at once and is its baseline.`,
        ]),
    ...(again === 0
      ? []
      : [
          'New baseline: the next run of a changed request shows what there is; later ones show what is new.',
        ]),
    ...(kept === 0
      ? []
      : [
          `${kept} not in the file, but owned by ${name}: --prune removes them, and keeps what they found; --release leaves them to nobody.`,
        ]),
    ...(differs ? [] : ['Nothing to do.']),
  ];
}
