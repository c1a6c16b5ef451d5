/** What the service needs kept for it, kept in memory: one process, one test. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { ServicePorts } from '../../../src/service/ports.ts';

export function memoryPorts(clock: Clock): ServicePorts & { units: Map<string, number> } {
  const units = new Map<string, number>();
  const turns = new Map<string, number>();
  const nameOf = ({ source, period }: { source: string; period: string }) => `${source} ${period}`;
  return {
    units,
    allowances: {
      async take(allowance, wanted) {
        const taken = (units.get(nameOf(allowance)) ?? 0) + wanted;
        if (taken > allowance.most) return false;
        units.set(nameOf(allowance), taken);
        return true;
      },
      async refund(allowance, unused) {
        units.set(nameOf(allowance), (units.get(nameOf(allowance)) ?? 0) - unused);
      },
      used: async (allowance) => units.get(nameOf(allowance)) ?? 0,
    },
    turns: {
      async next(source, everyMs, maxWaitMs) {
        const now = clock.now().getTime();
        const last = turns.get(source);
        const next = last === undefined ? now : Math.max(now, last + everyMs);
        if (next - now > maxWaitMs) return undefined;
        turns.set(source, next);
        return next - now;
      },
    },
    archive: { find: async () => [] },
  };
}
