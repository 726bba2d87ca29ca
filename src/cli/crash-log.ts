import { v4 } from 'uuid';
import { createLogger } from '#server/logger.ts';

/**
 * Logs an uncaught exception or unhandled rejection with a reference, and exits: the state of the process is
 * undefined. No acknowledged write is lost, since each is synced first.
 */
export function logCrashes(logLevel: string): void {
  const logger = createLogger(logLevel);
  // Node reports an unhandled rejection here too, with origin `unhandledRejection`.
  process.on('uncaughtException', (err, origin) => {
    logger.fatal({ err, origin, reference: v4() }, 'the process exits after an uncaught error');
    process.exit(1);
  });
}
