/** An interleaving: which roles take part, and when each sends a statement. Drawn from a seed, and shrunk. */
import * as fc from 'fast-check';
import { RESPONSES, type ResponseKind } from './stage.ts';

export type Limits = { perRun: number; perDay: number | undefined; perMinute: number | undefined };

/** What a connection does: one process's piece of work. */
export type Role =
  /** Executes a run, or reads its late responses: one of the two that are there, or the last one that was offered. */
  | { does: 'execute'; run: 'a' | 'b' | 'offered'; response: ResponseKind }
  | { does: 'scan'; takeOver: boolean }
  | { does: 'renew' }
  /** Changes of the first search, one after the other. */
  | { does: 'change'; changes: readonly ('pause' | 'resume' | 'remove')[] }
  /** Asks for a run of the first search, all with one Idempotency-Key. */
  | { does: 'request' }
  | { does: 'trial'; sent: boolean };

export const EVENTS = [
  'leases end',
  'no scan for a minute',
  'scans go on',
  'pauses end',
  'request overdue',
  // A statement of another run takes its time: others that count a call wait in the middle of theirs.
  'minute row locked',
  'minute row released',
] as const;
/** Limits of calls are checked as if all were made in one minute, so no minute passes in what is drawn. */
export type OutsideEvent = (typeof EVENTS)[number] | 'a minute passes';

export type Step =
  | { connection: number; statements: number }
  | { event: OutsideEvent }
  /** The process of this connection ends. */
  | { dies: number };

export type Plan = {
  roles: readonly Role[];
  limits: Limits;
  /** Whether the service was called before, so that it has the row that minutes are counted in. */
  calledBefore: boolean;
  steps: readonly Step[];
};

const role: fc.Arbitrary<Role> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('execute' as const),
      run: fc.oneof(
        { weight: 4, arbitrary: fc.constant('a' as const) },
        { weight: 1, arbitrary: fc.constant('b' as const) },
        { weight: 1, arbitrary: fc.constant('offered' as const) },
      ),
      response: fc.oneof(
        { weight: 6, arbitrary: fc.constant('posts' as const) },
        { weight: 3, arbitrary: fc.constantFrom(...RESPONSES) },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('scan' as const), takeOver: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ does: 'renew' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      changes: fc.constantFrom(['pause'] as const, ['remove'] as const, ['pause', 'resume'] as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'request' } as const) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('trial' as const), sent: fc.boolean() }) },
);

const MOST_ROLES = 4;

/** Most races need few statements of one connection between two of another. */
const statements = fc.constantFrom(1, 1, 1, 2, 2, 3, 3, 4, 6);

const STEPS = { maxLength: 24, size: 'max' } as const;

const anyEvent: fc.Arbitrary<OutsideEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('leases end' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...EVENTS) },
);

const stepFor = (
  connection: fc.Arbitrary<number>,
  event: fc.Arbitrary<OutsideEvent> | null,
): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ connection, statements }) },
    ...(event === null ? [] : [{ weight: 4, arbitrary: fc.record({ event }) }]),
    { weight: 1, arbitrary: fc.record({ dies: connection }) },
  );

const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 });

export const plan: fc.Arbitrary<Plan> = fc.record({
  roles: fc.oneof(
    { weight: 4, arbitrary: fc.array(role, { minLength: 2, maxLength: 2 }) },
    { weight: 3, arbitrary: fc.array(role, { minLength: 3, maxLength: 3 }) },
    { weight: 2, arbitrary: fc.array(role, { minLength: 2, maxLength: MOST_ROLES }) },
  ),
  limits: fc.record({ perRun: fc.integer({ min: 1, max: 3 }), perDay: limit, perMinute: limit }),
  calledBefore: fc.boolean(),
  steps: fc.array(stepFor(fc.nat({ max: MOST_ROLES - 1 }), anyEvent), STEPS),
});

export function roleInWords(of: Role): string {
  switch (of.does) {
    case 'execute':
      return `executes run ${of.run} (response: ${of.response})`;
    case 'scan':
      return of.takeOver ? 'takes the scan over' : 'scans';
    case 'renew':
      return 'renews the newest lease';
    case 'change':
      return of.changes.join(', then ');
    case 'request':
      return 'asks for a run, with an Idempotency-Key';
    case 'trial':
      return of.sent ? 'tries a search' : 'tries a search, which is not sent';
  }
}

/** Schedules for these and no others. */
export function planFor(given: {
  roles: readonly Role[];
  limits?: Partial<Limits>;
  events?: readonly OutsideEvent[];
  begins?: readonly Step[];
}): fc.Arbitrary<Plan> {
  const limits: Limits = { perRun: 2, perDay: undefined, perMinute: undefined, ...given.limits };
  const { roles, events = EVENTS, begins = [] } = given;
  const event = events.length === 0 ? null : fc.constantFrom(...events);
  const step = stepFor(fc.nat({ max: roles.length - 1 }), event);
  return fc.record({
    roles: fc.constant(roles),
    limits: fc.constant(limits),
    calledBefore: fc.constant(true),
    steps: fc.array(step, STEPS).map((steps) => [...begins, ...steps]),
  });
}
