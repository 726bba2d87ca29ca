import { v4 } from 'uuid';
import { createLogger } from './logger.ts';

/**
 * Logs an error that nothing caught, with a reference, before the process ends with status 1. Continuing would serve from
 * a state that the error left undefined; the store is safe, since it syncs every write before it acknowledges it.
 */
export function logCrashes(logLevel: string): void {
  const logger = createLogger(logLevel);
  // Node raises an unhandled rejection as an uncaught exception, with its own origin.
  process.on('uncaughtException', (err, origin) => {
    logger.fatal({ err, origin, reference: v4() }, 'the process ends: an error was not caught');
    process.exit(1);
  });
}
