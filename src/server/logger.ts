import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

const REPEAT_MS = 60_000;
/** Limits the memory for kinds of failures. Kinds are places in the code, so the limit is never reached. */
const MAX_KINDS = 1000;

interface LoggerOptions {
  readonly destination?: { write: (line: string) => void };
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Creates a logger that writes structured lines to standard error, since standard output belongs to the
 * protocol. Callers log no post text and no address. Within a minute, only the first failure of a kind is
 * logged with its stack. Later ones are logged without it if a caller received their reference, otherwise not
 * at all. The next line with a stack has their number as `repeated`.
 */
export function createLogger(
  level: string,
  {
    destination = pino.destination({ dest: 2, sync: true }),
    now = () => performance.now(),
  }: LoggerOptions = {},
): Logger {
  const reported = new Map<string, { at: number; repeated: number }>();
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      hooks: {
        logMethod(args, method) {
          const [facts, ...rest] = args as [unknown, ...string[]];
          const error = findError(facts);
          if (error === undefined) {
            method.apply(this, args);
            return;
          }
          const kind = failureKind(error);
          const last = reported.get(kind);
          if (last !== undefined && now() - last.at < REPEAT_MS) {
            last.repeated += 1;
            const { reference } = facts as { reference?: unknown };
            const { name, code } = error as { name: string; code?: unknown };
            if (reference !== undefined) method.apply(this, [{ reference, type: name, code }, ...rest]);
            return;
          }
          if (reported.size >= MAX_KINDS) reported.clear();
          reported.set(kind, { at: now(), repeated: 0 });
          method.apply(
            this,
            last?.repeated ? [{ ...(facts as object), repeated: last.repeated }, ...rest] : args,
          );
        },
      },
    },
    destination,
  );
}

function findError(facts: unknown): Error | undefined {
  const error = typeof facts === 'object' && facts !== null && 'err' in facts ? facts.err : undefined;
  return error instanceof Error ? error : undefined;
}

/** The class of an error, its code and the place in the code that created it. */
function failureKind(error: Error): string {
  const frame = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return `${error.name} ${String((error as { code?: unknown }).code)} ${frame ?? ''}`;
}

/**
 * Omits the other properties, where Node and PostgreSQL put refused input (`input`, `rawPacket`, `detail`).
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, code: code as unknown };
}
