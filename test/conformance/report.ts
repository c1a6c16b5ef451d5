/** What was checked, with its place in the specification, and the result. */

/**
 * `rule`: the specification requires it. `silent`: it says nothing, or "not shown", and this is the most
 * practical behavior; a server that behaves otherwise is reported, and fails only in strict mode.
 */
export type Level = 'rule' | 'silent';
export type Outcome = 'ok' | 'failed' | 'differs' | 'unseen';

export type Check = {
  place: string;
  says: string;
  level: Level;
  outcome: Outcome;
  /** How often it was checked. */
  seen: number;
  /** The first violation. */
  problem?: string;
};

export type Report = {
  /** Lists a check that may never come to be judged. */
  expect(place: string, says: string, level?: Level): void;
  /** @param problem what is wrong, or null */
  judge(place: string, says: string, problem: string | null, level?: Level): void;
  checks(): Check[];
};

export function createReport(): Report {
  const checks = new Map<string, Check>();
  function of(place: string, says: string, level: Level): Check {
    const name = `${place}: ${says}`;
    const check = checks.get(name) ?? { place, says, level, outcome: 'unseen' as const, seen: 0 };
    checks.set(name, check);
    return check;
  }
  return {
    expect(place, says, level = 'rule') {
      of(place, says, level);
    },
    judge(place, says, problem, level = 'rule') {
      const check = of(place, says, level);
      check.seen += 1;
      if (check.outcome === 'unseen') check.outcome = 'ok';
      if (problem === null || check.problem !== undefined) return;
      check.problem = problem;
      check.outcome = level === 'rule' ? 'failed' : 'differs';
    },
    checks: () => [...checks.values()],
  };
}

export function linesOf(checks: readonly Check[]): string[] {
  return checks.map(({ outcome, place, says, seen, problem }) => {
    const end = problem === undefined ? `(${seen})` : `<- ${problem}`;
    return `${outcome.padEnd(8)}${place}: ${says} ${end}`;
  });
}

export function summaryOf(checks: readonly Check[]): Record<Outcome, number> {
  const count = (outcome: Outcome) => checks.filter((check) => check.outcome === outcome).length;
  return { ok: count('ok'), failed: count('failed'), differs: count('differs'), unseen: count('unseen') };
}
