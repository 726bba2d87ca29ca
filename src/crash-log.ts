import { v4 } from 'uuid';
import { createLog } from './logger.ts';

/**
 * Logs an error that nothing caught, with a reference, before the process ends with status 1. Continuing would serve from
 * a state that the error left undefined; the store is safe, since it syncs every write before it acknowledges it.
 */
export function logCrashes(logLevel: string): void {
  const log = createLog(logLevel);
  // Node raises an unhandled rejection as an uncaught exception, with its own origin.
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin, reference: v4() }, 'the process ends: an error was not caught');
    process.exit(1);
  });
}
