import type { Change } from '#store/port/store.ts';

/** Calls each listener. If one throws, that is only logged, since the write is already durable. */
export function notifyListeners(
  listeners: Iterable<(change: Change) => void>,
  change: Change,
  report: (message: string) => void,
): void {
  for (const listener of listeners) {
    try {
      listener(change);
    } catch (error) {
      report(`a listener failed: ${error instanceof Error ? error.name : 'no error'}`);
    }
  }
}
