import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * Structured logs on standard error; standard output belongs to the protocol. Callers log no post text and no
 * address.
 */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
