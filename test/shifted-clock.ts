/** The wall clock of this process, moved; timers and `performance.now()` are not affected. */
const Real = Date;
let shift = 0;

class Shifted extends Real {
  constructor(...args: ConstructorParameters<DateConstructor> | []) {
    if (args.length === 0) super(Real.now() + shift);
    else super(...args);
  }
  static override now(): number {
    return Real.now() + shift;
  }
}

/** @param ms ahead of the machine's clock; negative: behind */
export function shiftClock(ms: number): void {
  shift = ms;
  // A class cannot be called without `new`; nothing of ours or of what we stand on calls Date that way.
  globalThis.Date = (ms === 0 ? Real : Shifted) as DateConstructor;
}
