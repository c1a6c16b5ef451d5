/**
 * One request for all who ask the same at the same time. It lives as long as one of them waits: who goes
 * away ends only their own waiting, and the last one ends the request.
 */
import { untilAborted } from '../../until-aborted.ts';

export type Flights<T> = {
  /**
   * Joins the flight of this name or begins it; whoever joins waits at once.
   * @param until the instant until which whoever joins can wait, in milliseconds since 1970
   * @param begin.until until when the most patient of those who wait can
   */
  join(
    name: string,
    until: number,
    begin: (signal: AbortSignal, until: () => number) => Begun<T>,
  ): Boarded<T>;
};

export type Begun<T> = {
  result: Promise<T>;
  /** Whether its request has not been made yet, because its turn has not come. */
  isWaiting: () => boolean;
};

export type Boarded<T> = Pick<Begun<T>, 'isWaiting'> & {
  /** @throws the signal's reason once it aborts; or what the flight throws */
  wait(signal: AbortSignal): Promise<T>;
};

type Flight<T> = Begun<T> & { end: (reason: unknown) => void; passengers: number; patience: Patience };
/** Until when the most patient of those who ever waited can, in milliseconds since 1970. */
type Patience = { until: number };

export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>();

  function depart(
    name: string,
    patience: Patience,
    begin: (signal: AbortSignal, until: () => number) => Begun<T>,
  ): Flight<T> {
    const controller = new AbortController();
    const end = (reason: unknown) => controller.abort(reason);
    const begun = begin(controller.signal, () => patience.until);
    const flight: Flight<T> = { ...begun, end, passengers: 0, patience };
    const forget = () => forgetFlight(name, flight);
    flights.set(name, flight);
    flight.result.then(forget, forget);
    return flight;
  }

  function forgetFlight(name: string, flight: Flight<T>): void {
    if (flights.get(name) === flight) flights.delete(name);
  }

  return {
    join(name, until, begin) {
      const flight = flights.get(name) ?? depart(name, { until }, begin);
      flight.patience.until = Math.max(flight.patience.until, until);
      flight.passengers += 1;
      let isAboard = true;
      const leave = (reason?: unknown) => {
        if (!isAboard) return;
        isAboard = false;
        flight.passengers -= 1;
        if (flight.passengers > 0) return;
        forgetFlight(name, flight); // nobody may join what is about to end
        flight.end(reason);
      };
      return {
        isWaiting: flight.isWaiting,
        async wait(signal) {
          const gone = () => leave(signal.reason);
          // At once, so that a flight that ends with its last passenger can still say what it has.
          signal.addEventListener('abort', gone, { once: true });
          try {
            return await untilAborted(signal, flight.result);
          } finally {
            signal.removeEventListener('abort', gone);
            leave(signal.reason);
          }
        },
      };
    },
  };
}
