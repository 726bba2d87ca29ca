import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { followLog } from '#commands/follow-log.ts';
import { LogFollower, type MirrorContext } from '#commands/mirror.ts';
import { toServiceUrl } from '#commands/service-request.ts';
import { StorageLimit } from '#workspace/limits/storage-limit.ts';
import type { Config } from '#settings/config.ts';
import { openServerStore } from '#server/service.ts';
import { createLogger, warnBy } from '#server/logger.ts';
import { createPrivateStore } from '#server/open-store.ts';
import { serveHttp } from '#server/serve-http.ts';

/**
 * Copies the public log of another service, follows it, and serves the copy read-only.
 * @param once whether to copy the log up to its end and serve nothing
 * @throws UsageError, ConfigError, CommandError
 */
export async function runMirror(
  url: string,
  config: Config,
  { once, stop }: { readonly once: boolean; readonly stop: AbortSignal },
): Promise<void> {
  const origin = toServiceUrl(url);
  // Pages of the log leave short-lived objects, which V8 would collect when a heap of 30 MB has grown to 130.
  setFlagsFromString('--heap-growing-percent=20');
  const logger = createLogger(config.logLevel);
  const report = warnBy(logger);
  const store = await openServerStore(config, logger);
  const privateStore = await createPrivateStore(config, report);
  let close = async (): Promise<void> => {
    await privateStore.close();
    await store.close();
  };
  try {
    const storageLimit = new StorageLimit({ store, maxBytes: config.storeMaxBytes, report });
    const context: MirrorContext = {
      store,
      privateStore,
      service: { name: config.serviceName, baseUrl: config.baseUrl ?? null },
      fetch: (target, timeoutMs) =>
        fetch(target, {
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stop]),
          redirect: 'manual',
        }),
      now: () => Date.now(),
      sleep: (milliseconds) => sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined),
      isStopped: () => stop.aborted,
      isFull: () => storageLimit.isReached(),
      logStatus: (line) => {
        logger.info(line);
      },
    };
    const follower = await LogFollower.open(origin, context);
    if (!once) {
      const server = await serveHttp(config, { store, privateStore, mirror: follower.mirror });
      close = server.stop;
      console.log(`porchlight is at ${server.baseUrl} (a mirror of ${origin}). Ctrl+C stops it.`);
    }
    await followLog(follower, once, context);
  } finally {
    await close();
  }
}
