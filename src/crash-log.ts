import { v4 } from 'uuid';
import { createLogger } from './logger.ts';

/**
 * Logs an uncaught exception or an unhandled rejection with a reference, then exits with status 1. Continuing
 * would serve from an undefined state. The store loses nothing: it syncs every write before it acknowledges
 * the write.
 */
export function logCrashes(logLevel: string): void {
  const logger = createLogger(logLevel);
  // Node reports an unhandled rejection here too, with origin `unhandledRejection`.
  process.on('uncaughtException', (err, origin) => {
    logger.fatal({ err, origin, reference: v4() }, 'the process ends: an error was not caught');
    process.exit(1);
  });
}
