import { escapeLineBreaks } from '#runtime/json.ts';
import type { LogCursor, LogLine } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import * as z from 'zod';
import { EXAMPLE } from '#workspace/protocol/protocol-content.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import type { Service } from '#workspace/service/service.ts';
import { anyIdField, toExportedFields } from './export-format.ts';
import { timestampField } from '#workspace/schemas/fields.ts';
import { timestampAt } from '#workspace/text/time.ts';

/**
 * The type of a page, in its first line. An example has another value, so that a program that copies logs and
 * does not know about examples refuses it, too.
 */
export const LOG = 'log';
export const EXAMPLE_LOG = 'log of an example';

/** The maximum number of lines on a page of the public log, and of entries on one of the moderation log. */
export const MAX_LOG_LINES = 1000;
/** The maximum number of bytes of one page. */
const MAX_LOG_BYTES = 1_000_000;

/** The maximum number of bytes of the header and the last line together. */
export const FRAME_BYTES = 2_500;

/** How many lines are read at once. */
const CHUNK_LINES = 100;

const afterError = 'must be a whole number: take it from next.after of the last page';

/** The query of a page: the last line that the caller has. */
export const LogQuery = z
  .object({
    after: z
      .int({ error: afterError, abort: true })
      .min(0, { error: afterError })
      .default(0)
      .describe('`next.after` of the previous page. 0 is the beginning.'),
    id: anyIdField.optional().describe('`next.id` of the previous page. Required unless `after` is 0.'),
    at: timestampField.optional().describe('`next.at` of the previous page, to detect a restored log.'),
  })
  .refine(({ after, id, at }) => (after === 0 ? (id ?? at) === undefined : id !== undefined), {
    path: ['id'],
    error: 'is required with after and at: copy all three from next of the last page, or leave them out',
  });

export interface LogPage {
  readonly text: string;
  /** Whether more lines follow. */
  readonly more: boolean;
}

interface LogContext {
  readonly store: { readonly read: Pick<Reader, 'log'> };
  /** A mirror names the URL of its origin, then the host of the next origin, and so on. */
  readonly service: Pick<Service, 'mirror' | 'isExample'>;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Reads one page of the public log as JSON lines: a header, the lines after the one that the caller has, and
 * a last line with the cursor of the next page. Only the last page has a time, so that every reader gets the
 * same bytes of the others.
 * @param pause called between the steps
 * @throws WorkspaceError log_changed
 */
export async function readLogPage(
  { store: { read }, service, now }: LogContext,
  { after, id = '', at }: z.infer<typeof LogQuery>,
  pause: () => Promise<void>,
): Promise<LogPage> {
  const { mirror, isExample = false } = service;
  let cursor: LogCursor | null = after === 0 ? null : { n: after, id, at };
  const body: string[] = [];
  let newest = 0;
  let more = true;
  for (let left = MAX_LOG_BYTES - FRAME_BYTES; more && body.length < MAX_LOG_LINES; ) {
    const page = await read.log(cursor, Math.min(CHUNK_LINES, MAX_LOG_LINES - body.length));
    if (page === null) throw logChangedError();
    ({ newest, more } = page);
    for (const line of page.lines) {
      const text = escapeLineBreaks(JSON.stringify(encodeLine(line)));
      left -= Buffer.byteLength(text) + 1;
      if (left < 0) {
        more = true;
        break;
      }
      body.push(text);
      cursor = toLogCursor(line);
    }
    if (left < 0) break;
    await pause();
  }
  const header = {
    porchlight: isExample ? EXAMPLE_LOG : LOG,
    ...(isExample && { notice: EXAMPLE }),
    ...(!more && { newest, at: timestampAt(now()) }),
    ...(mirror && { mirrors: [mirror.origin, ...mirror.mirrors()] }),
  };
  const end = { next: { after: cursor?.n ?? 0, id: cursor?.id ?? null, at: cursor?.at }, more };
  return { text: `${[JSON.stringify(header), ...body, JSON.stringify(end)].join('\n')}\n`, more };
}

function encodeLine({ n, added, moderation }: LogLine): object {
  const add = added && { add: toExportedFields(added) };
  if (moderation === undefined) return { n, ...add };
  const { action, id, at, reason, mark } = moderation;
  return { n, at, [action]: id, reason, ...(mark !== undefined && { mark }), ...add };
}

/** @returns the cursor after this line */
export function toLogCursor({ n, added, moderation }: LogLine): LogCursor {
  const { id = '', createdAt: at } = added?.record ?? {};
  return moderation === undefined ? { n, id, at } : { n, id: moderation.id, at: moderation.at };
}

function logChangedError(): WorkspaceError {
  return new WorkspaceError(
    'log_changed',
    'Line `after` of this log does not match `id` and `at`. The operator has restored an older backup, or ' +
      'this is a different log: compare its records with yours before you read it from the beginning.',
  );
}
