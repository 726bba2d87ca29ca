import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

const REPEAT_MS = 60_000;
/** Most kinds of failures that are remembered. The kinds are places in the code, so that this is never reached. */
const MAX_KINDS = 1000;

interface LoggerOptions {
  readonly destination?: { write: (line: string) => void };
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/**
 * Structured logs on standard error; standard output belongs to the protocol. Callers log no post text and no
 * address. Within a minute, failures of one kind have one line with a stack; later ones have a line without it if a
 * caller was given their reference, else none. The next line with a stack has their number as `repeated`.
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
          const error = failureOf(facts);
          if (error === undefined) {
            method.apply(this, args);
            return;
          }
          const kind = kindOf(error);
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

function failureOf(facts: unknown): Error | undefined {
  const error = typeof facts === 'object' && facts !== null && 'err' in facts ? facts.err : undefined;
  return error instanceof Error ? error : undefined;
}

/** Its class, its code and the place that made it. */
function kindOf(error: Error): string {
  const frame = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return `${error.name} ${String((error as { code?: unknown }).code)} ${frame ?? ''}`;
}

/** Leaves out the other properties: there Node and PostgreSQL put what they refuse (`input`, `rawPacket`, `detail`). */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack, code } = pino.stdSerializers.err(error);
  return { type, message, stack, code: code as unknown };
}
