import type { ProcessOptions, WorkerProcess } from '../processes.ts';
import type { Stage } from './stage.ts';

/** What one worker needs to start while others start, too, on a busy machine. */
const START_MS = 60_000;

/** Workers under a supervisor: whichever exits is replaced immediately, as in any deployment. */
export type Crew = Readonly<{
  /** Those that are running. */
  workers(): WorkerProcess[];
  /** Options of the next one to start. */
  next(options: ProcessOptions): void;
  /** Starts no more. */
  dismiss(): Promise<void>;
}>;

export async function hire(stage: Stage, size: number): Promise<Crew> {
  const dismissal = new AbortController();
  const options: ProcessOptions[] = [];
  const posts: (WorkerProcess | undefined)[] = [];
  const man = async (post: number): Promise<void> => {
    while (!dismissal.signal.aborted) {
      const worker = await stage.start({}, options.shift());
      posts[post] = worker;
      // One that started while all were being stopped.
      if (dismissal.signal.aborted) await worker.stop();
      await worker.over;
    }
  };
  const manned = Array.from({ length: size }, (_, post) => man(post));
  const workers = () => posts.filter((worker) => worker?.lives() === true) as WorkerProcess[]; // those that are there
  await stage.until('the crew is at work', () => Promise.resolve(workers().length === size), size * START_MS);
  return {
    workers,
    next: (behaviour) => void options.push(behaviour),
    dismiss: async () => {
      dismissal.abort();
      await Promise.all(workers().map((worker) => worker.stop()));
      await Promise.all(manned);
    },
  };
}
