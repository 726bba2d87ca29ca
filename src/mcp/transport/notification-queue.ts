interface Output {
  readonly writableNeedDrain: boolean;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** Creates a function that writes notifications. A client that does not read costs one copy of each. */
export function createNotificationQueue(output: Output): (notification: string) => void {
  // Invariant: empty unless a `drain` listener is registered.
  const queued = new Set<string>();
  const flush = (): void => {
    const waiting = [...queued];
    queued.clear();
    for (const notification of waiting) write(notification);
  };
  const write = (notification: string): void => {
    if (!output.writableNeedDrain) {
      output.write(notification);
      return;
    }
    if (queued.size === 0) output.once('drain', flush);
    queued.add(notification);
  };
  return write;
}
