import { StoreFailure } from '#store/port/store.ts';

/** By SQLSTATE. Callers may read the texts, so these name no host and no user. */
const MESSAGES: Readonly<Record<string, string>> = {
  '08P01': 'the database, or a proxy in front of it, refuses a parameter of DATABASE_URL',
  '25006': 'the database is read-only',
  '28000': 'the database refuses the user',
  '28P01': 'the database refuses the password',
  '3D000': 'the database does not exist',
  '42501': 'the user of the database lacks a required permission',
  '42703': 'the database lacks a required column',
  '42704': 'the database does not know a parameter that options of DATABASE_URL sets',
  '42P01': 'the database lacks a required table, or its user has no USAGE on the schema',
  '53100': 'the disk of the database is full',
  '53200': 'the database is out of memory',
  '53300': 'the database has no free connection',
  '55P03': 'another instance is blocking all writes',
  '57014': 'the database takes too long to respond',
  '57P01': 'the database is stopping',
  '57P02': 'the database was restarted',
  '57P03': 'the database is starting or stopping',
  EAI_AGAIN: 'the host name of the database cannot be resolved at the moment',
  ENOENT: 'a file or socket that DATABASE_URL names does not exist',
  ENOTFOUND: 'the host name of the database is unknown',
};

const WITHOUT_TLS = 'The server does not support SSL connections';
/** SQLSTATE classes and system error codes after which a new connection may succeed. */
const RETRYABLE = /^(08|57P|40|55P03|25P0[23]|53300|E[A-Z]+$)/;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether the statement may succeed on a new connection. The driver's own errors have no code. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '' ? error instanceof Error : RETRYABLE.test(code);
}

export const isDiskFull = (error: unknown): boolean => codeOf(error) === '53100';

/** @returns the reason, without a host or a user */
export function describeStorageError(error: unknown): string {
  const code = codeOf(error);
  if (error instanceof Error && error.message === WITHOUT_TLS)
    return 'the database does not offer TLS, which sslmode requires';
  return (
    MESSAGES[code] ??
    (isRetryable(error) ? 'the database does not respond' : `the database refuses (${shownCode(code)})`)
  );
}

/** A proxy, or a server that only claims to be a database, may send any text as a code. */
const shownCode = (code: string): string => (/^\w{1,40}$/.test(code) ? code : 'unknown code');

/** @returns the message of the driver or of the server, in quotation marks, for the log */
export function quoteError(error: unknown): string {
  return JSON.stringify(error instanceof Error ? error.message : String(error));
}

export function toFailure(error: unknown): StoreFailure {
  return error instanceof StoreFailure
    ? error
    : new StoreFailure('nothing', describeStorageError(error), { cause: error });
}

/** PostgreSQL rejects U+0000 and lone surrogates, which no stored id contains. */
export const isStorableText = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

/** @returns a function that gets an error, or null after a success, and reports each change once */
export function reportTrouble(
  report: (what: string) => void,
  effect: string,
  recovered: string,
): (error: unknown) => void {
  let last: string | null = null;
  return (error) => {
    const trouble = error === null ? null : describeStorageError(error);
    if (trouble === last) return;
    last = trouble;
    report(trouble === null ? recovered : `${effect}, ${trouble}: ${quoteError(error)}`);
  };
}
