import type { JsonlStoreOptions } from './jsonl-options.ts';

const LOOK_MS = 1000;

/**
 * Calls back when something in the folder was written. If the system has no watch left, it calls back every
 * second.
 * @returns a function that stops the calls
 */
export function watchFolder({ disk, folder, report }: JsonlStoreOptions, listener: () => void): () => void {
  let stop = (): void => undefined;
  const look = (error: unknown): void => {
    report(`reads the log every second, since the folder cannot be watched: ${String(error)}`);
    const timer = setInterval(listener, LOOK_MS).unref();
    stop = () => {
      clearInterval(timer);
    };
  };
  try {
    stop = disk.watch(folder, listener, (error) => {
      stop();
      look(error);
    });
  } catch (error) {
    look(error);
  }
  return () => {
    stop();
  };
}
