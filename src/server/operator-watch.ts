import type { Store } from '#store/port/store.ts';
import type { PrivateStore, ServiceEvent } from '#private/private-store.ts';
import type { Holds } from '#workspace/moderation/holds.ts';
import type { TotalWriteLimit } from '#workspace/limits/write-limits.ts';
import type { StorageLimit } from '#workspace/limits/storage-limit.ts';
import { HOUR_MS } from '#workspace/text/time.ts';
import type { Logger } from './logger.ts';
import type { OperatorHook } from './operator-hook.ts';

const POLL_MS = 2_000;
/** Longer than `POLL_MS`, because a check of a database takes a transaction. */
const HEALTH_MS = 4_000;

interface OperatorWatchOptions {
  readonly privateStore: Pick<PrivateStore, 'prune'>;
  readonly store: Pick<Store, 'health'>;
  readonly storageLimit: Pick<StorageLimit, 'isReached'>;
  readonly totalWriteLimit: Pick<TotalWriteLimit, 'isClosed'>;
  readonly holds: Holds | undefined;
  /** Undefined without HOOK_URL. */
  readonly hook: OperatorHook | undefined;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Polls for events to report to the operator. @returns a function that stops the polls */
export function watchForOperator(options: OperatorWatchOptions): () => Promise<void> {
  const { privateStore, store, storageLimit, totalWriteLimit, holds, hook, logger } = options;
  let trouble: string | undefined;
  const report = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : 'unknown';
    if (reason !== trouble) logger.warn({ reason }, 'reports cannot be read');
    trouble = reason;
  };
  const noteStorage = createEdge(hook, 'storage_full', 'storage_ok');
  const noteValve = createEdge(hook, 'valve_closed', 'valve_open');
  const noteWrites = createEdge(hook, 'writes_failed', 'writes_ok');
  const prune = (): void => {
    privateStore.prune().catch(report);
  };
  prune();
  const timers = [setInterval(prune, HOUR_MS)];
  const poll = async (): Promise<void> => {
    await holds?.update();
    await noteStorage(storageLimit.isReached());
    await noteValve(totalWriteLimit.isClosed());
    await hook?.sendDue();
    trouble = undefined;
  };
  if (hook !== undefined || holds !== undefined)
    timers.push(setInterval(() => void poll().catch(report), POLL_MS));
  if (hook !== undefined)
    timers.push(
      setInterval(() => void store.health().then(({ writable }) => noteWrites(!writable)), HEALTH_MS),
    );
  for (const timer of timers) timer.unref();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await hook?.idle();
  };
}

function createEdge(hook: OperatorHook | undefined, begins: ServiceEvent, ends: ServiceEvent) {
  let last = false;
  return async (isTrue: boolean): Promise<void> => {
    if (isTrue === last) return;
    last = isTrue;
    await hook?.note(isTrue ? begins : ends);
  };
}
