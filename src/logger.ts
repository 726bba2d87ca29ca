import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/**
 * Structured logs on standard error; standard output belongs to the protocol. Callers log no post text and no
 * address.
 */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** Leaves out the other properties: there Node and PostgreSQL put what they refuse (`input`, `rawPacket`, `detail`). */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, code: code as unknown };
}
