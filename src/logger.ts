import { pino, type Logger } from 'pino';

/** Structured logs on standard error, since standard output belongs to the protocol. Never a post text or an address. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
