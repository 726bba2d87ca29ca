import { pino, type Logger } from 'pino';
import { v4 } from 'uuid';

export type { Logger } from 'pino';

const REPEAT_MS = 60_000;

const WARN = 40;

/** The maximum bytes that the reader of standard error leaves unread. Further lines are dropped. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Logs to standard error, because standard output belongs to the protocol. Of equal warnings within a minute
 * it logs only the first, and of equal failures only the first with its stack. Later failures get a short
 * line if a caller has received the reference. The next full line counts them in `repeated`.
 */
export function createLogger(
  level: string,
  { destination = openStandardError(), now = () => performance.now() } = {},
): Logger {
  const reported = new Map<string, { at: number; repeated: number }>();
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      hooks: {
        logMethod(args, method, logLevel) {
          const [facts, ...rest] = args as [unknown, ...string[]];
          const error = findError(facts);
          if (error === undefined && logLevel !== WARN) {
            method.apply(this, args);
            return;
          }
          const kind = error === undefined ? JSON.stringify(args) : failureKind(error);
          const last = reported.get(kind);
          if (last !== undefined && now() - last.at < REPEAT_MS) {
            last.repeated += 1;
            const { reference } = facts as { reference?: unknown };
            if (error !== undefined && reference !== undefined)
              method.apply(this, [{ reference, type: error.name, code: codeOf(error) }, ...rest]);
            return;
          }
          if (reported.size >= 1000) reported.clear();
          reported.set(kind, { at: now(), repeated: 0 });
          const repeated = last?.repeated ?? 0;
          if (repeated === 0) method.apply(this, args);
          else if (typeof facts === 'string') method.apply(this, [{ repeated }, facts, ...rest]);
          else method.apply(this, [{ ...(facts as object), repeated }, ...rest]);
        },
      },
    },
    destination,
  );
}

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

/** @returns a function that logs messages of a store as warnings */
export function warnBy(logger: Pick<Logger, 'warn'>): (message: string) => void {
  return (message) => {
    logger.warn(message);
  };
}

/** Never blocks: if a host does not read standard error, a blocking write would stop the event loop. */
function openStandardError(): { write: (line: string) => void } {
  const { stderr } = process;
  // Lines for a reader that has closed the pipe are lost.
  stderr.on('error', () => undefined);
  return {
    write: (line) => {
      if (stderr.writableLength < MAX_UNREAD_BYTES) stderr.write(line);
    },
  };
}

const codeOf = (error: Error): string | undefined => (error as { code?: string }).code;

function findError(facts: unknown): Error | undefined {
  const error = typeof facts === 'object' && facts !== null && 'err' in facts ? facts.err : undefined;
  return error instanceof Error ? error : undefined;
}

/** @returns the class of an error, its code, and the line of code that created it */
function failureKind(error: Error): string {
  const frame = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return `${error.name} ${String(codeOf(error))} ${frame ?? ''}`;
}

/** Omits all other properties, because Node and PostgreSQL put refused input into some of them. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, code: code as unknown };
}
