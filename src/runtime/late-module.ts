import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long after the start the late modules are loaded, so that the first requests of a host come first. */
const DELAY_MS = 1_000;

const loaders: (() => Promise<unknown>)[] = [];

/** Registers a module that would slow down the start. Calling the result loads it, again after a failure. */
export function lateModule<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  const loadOnce = (): Promise<Module> =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  loaders.push(loadOnce);
  return loadOnce;
}

interface Logger {
  debug(event: string): void;
  warn(facts: object, event: string): void;
}

/**
 * Loads all registered modules soon after the start. After an upgrade in place replaces the files of a
 * running process, it could no longer load them.
 * @returns a function that prevents the loading
 */
export function loadLateModules(logger: Logger): () => void {
  const loadAll = async (): Promise<void> => {
    try {
      for (const load of loaders) {
        await load();
        // The event loop does other work between two modules.
        await nextTurn();
      }
      logger.debug('loaded the rest of the program');
    } catch (err) {
      logger.warn({ err }, 'a part of the program cannot be loaded: restart it if it was upgraded');
    }
  };
  const timer = setTimeout(() => void loadAll(), DELAY_MS);
  timer.unref();
  return () => {
    clearTimeout(timer);
  };
}
