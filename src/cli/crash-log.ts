import { v4 } from 'uuid';
import { createLogger } from '#server/logger.ts';

/**
 * Logs an uncaught exception or an unhandled rejection with a reference, then exits with status 1, because
 * the state of the process is undefined. The store loses no acknowledged write, since it syncs each one
 * first.
 */
export function logCrashes(logLevel: string): void {
  const logger = createLogger(logLevel);
  // Node reports an unhandled rejection here too, with origin `unhandledRejection`.
  process.on('uncaughtException', (err, origin) => {
    logger.fatal({ err, origin, reference: v4() }, 'the process exits after an uncaught error');
    process.exit(1);
  });
}
