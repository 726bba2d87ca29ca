import { parseJson } from '#runtime/json.ts';
import type { LogCursor, LogLine } from '#store/port/pages.ts';
import { kindOf, type ExportedRecord, type ModerationEntry } from '#store/port/records.ts';
import { visitInSlices } from '#runtime/slice.ts';
import * as z from 'zod';
import { anyIdField, decodeEntry, ExportLineError, isAhead } from './export-format.ts';
import { EXAMPLE_LOG, FRAME_BYTES, LOG, MAX_LOG_LINES, toLogCursor } from './public-log.ts';
import { timestampField } from '#workspace/schemas/fields.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';

/** One page of the public log of another service. */
export type OriginPage = NonNullable<Awaited<ReturnType<typeof decodeLogPage>>>;

/** An invalid page. The message is a part of a sentence, and repeats no part of the page. */
export class LogPageError extends Error {
  override readonly name = 'LogPageError';
}

/** The maximum length of a chain of mirrors: each mirror delays an erase. */
export const MAX_MIRRORS = 5;
const MAX_URL_CHARACTERS = 300;

/** A URL that `porchlight mirror` accepts, or its host. Only the host is kept. */
const hostField = z
  .string()
  .max(MAX_URL_CHARACTERS)
  .regex(/^(?:https?:\/\/)?[a-z0-9.:[\]-]+(?:\/[\w.~-]+)*$/)
  .transform((url) => url.replace(/^https?:\/\//, '').replace(/\/.*/, ''));

const Header = z.object({
  porchlight: z.enum([LOG, EXAMPLE_LOG]),
  newest: z.int().min(0).optional(),
  at: timestampField.optional(),
  mirrors: z.array(hostField).max(MAX_MIRRORS).default([]),
});

const End = z.object({
  // Older services neither send nor accept a time.
  next: z.object({ after: z.int().min(0), id: anyIdField.nullable(), at: timestampField.optional() }),
  more: z.boolean(),
});

const ACTIONS = ['hide', 'unhide', 'erase'] as const;

/** Longer than any valid value of these fields. */
const textField = z
  .string()
  .max(2 * MAX_LENGTHS.reason)
  .optional();

/** A line; `decodeEntry` checks the fields of its record and its moderation. */
const Line = z.strictObject({
  n: z.int().min(1),
  add: z.looseObject({ id: anyIdField }).optional(),
  at: textField,
  hide: textField,
  unhide: textField,
  erase: textField,
  reason: textField,
  mark: textField,
});

/**
 * Decodes a page that `readLogPage` wrote, and checks each record and moderation as an import does.
 * @param after the cursor of the request
 * @param now wall-clock time, milliseconds since 1970
 * @returns undefined if the page is cut off
 * @throws LogPageError
 */
export async function decodeLogPage(text: string, after: LogCursor | null, now: number) {
  const [first = '', ...rest] = text.split('\n', MAX_LOG_LINES + 4);
  const header = Header.safeParse(parseJson(first.slice(0, FRAME_BYTES)));
  if (!header.success) throw new LogPageError('its first line is not the header of a log');
  if (header.data.porchlight === EXAMPLE_LOG)
    throw new LogPageError('everything on it is invented, as its first line says, but no copy would say so');
  if (rest.length > MAX_LOG_LINES + 2) throw new LogPageError(`it has more than ${MAX_LOG_LINES} lines`);
  // Each line ends with a line feed.
  const end = End.safeParse(
    rest.at(-1) === '' ? parseJson(rest.at(-2)?.slice(0, FRAME_BYTES) ?? '') : undefined,
  );
  if (!end.success) return undefined;
  const { next, more } = end.data;
  const { at = null, mirrors } = header.data;
  if (at === null && !more) throw new LogPageError('its first line has no time');
  if (at !== null && isAhead(at, now))
    throw new LogPageError('the time in its first line is ahead of the clock of this machine');
  let last = after;
  const lines: LogLine[] = [];
  await visitInSlices(rest.slice(0, -2), (line) => {
    const place = `its line ${lines.length + 2}`;
    const decoded = decodeLine(line, now, place);
    if (decoded.n <= (last?.n ?? 0)) throw new LogPageError(`${place} has a number that does not rise`);
    last = toLogCursor(decoded);
    lines.push(decoded);
  });
  const isAtEnd =
    next.after === (last?.n ?? 0) &&
    next.id === (last?.id ?? null) &&
    (next.at === undefined || next.at === last?.at);
  if (!isAtEnd || (more && lines.length === 0))
    throw new LogPageError('its last line does not name the line before it');
  return {
    /** When the origin read the end of its log, by its own clock; null before the last page. */
    at,
    /** The services that the origin mirrors, the nearest first. */
    mirrors,
    lines,
    /** The last line that a reader of the page has; null at the beginning of the log. */
    next: last && { ...last, at: next.at },
    more,
  };
}

/** @param place of the line, for the error */
function decodeLine(text: string, now: number, place: string): LogLine {
  const { data } = Line.safeParse(parseJson(text));
  if (data === undefined) throw new LogPageError(`${place} is not a line of a log`);
  const { n, add, at, reason, mark } = data;
  const [action, ...others] = ACTIONS.filter((one) => data[one] !== undefined);
  const id = action && data[action];
  const addsAnother = add !== undefined && id !== undefined && (action !== 'unhide' || add.id !== id);
  if (others.length > 0 || addsAnother || (action ?? add) === undefined)
    throw new LogPageError(`${place} is not a line of a log`);
  try {
    return {
      n,
      ...(add && { added: decodeEntry({ [kindOf(add.id)]: add }, now) as ExportedRecord }),
      ...(action && {
        moderation: decodeEntry({ moderation: { action, id, at, reason, mark } }, now) as ModerationEntry,
      }),
    };
  } catch (error) {
    if (!(error instanceof ExportLineError)) throw error;
    throw new LogPageError(`${place} ${error.message}`);
  }
}
