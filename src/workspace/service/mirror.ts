import type { ModerationEntry, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { WorkspaceError } from './errors.ts';

/** A service that mirrors another one, its origin. */
export interface Mirror {
  /** The URL of the origin, as the operator typed it, without a trailing slash. */
  readonly origin: string;
  /**
   * If the origin is itself a mirror: the host of its origin, then of the next one, and so on. The origin may
   * be hostile, so no sentence names these hosts, and no link leads there.
   */
  readonly mirrors: () => readonly string[];
  /** The time up to which it has the log, by the origin's clock; null before it has reached the end. */
  readonly asOf: () => Timestamp | null;
}

/** @returns a part of a sentence for readers */
export function describeMirror({ origin, asOf }: Mirror): string {
  return `mirror of ${origin}, as of ${asOf() ?? 'an earlier run'}`;
}

/** @returns sentences for the pages of a mirror */
export function mirrorNotice(mirror: Mirror): string {
  return `This is a read-only ${describeMirror(mirror)}. Texts, names, signers and what one key wrote are the word of that service.`;
}

/** @returns the error for a write to a mirror */
export function readOnlyMirrorError({ origin }: Mirror): WorkspaceError {
  return new WorkspaceError(
    'read_only_mirror',
    `This is a read-only mirror; send the same call to ${origin}. Nothing was stored.`,
  );
}

/** The start of the public reason of a moderation by the mirror or its operator, not by the origin. */
const HERE = 'on this mirror: ';

/** @returns the public reason of a moderation by the mirror or its operator */
export function toLocalReason(reason: string): string {
  return `${HERE}${reason}`;
}

/** Removes `HERE` from a reason of an origin that is itself a mirror. The result is never empty. */
export function toOriginReason(reason: string): string {
  return reason.startsWith(HERE) ? toOriginReason(reason.slice(HERE.length) || HERE.trim()) : reason;
}

/** @returns the last action of the mirror or of its operator on each record, by id */
export async function readLocalActions(
  read: Pick<Reader, 'moderations'>,
): Promise<ReadonlyMap<string, ModerationEntry['action']>> {
  const actions = new Map<string, ModerationEntry['action']>();
  // Newest first.
  for (const { action, id, reason } of await read.moderations(Number.MAX_SAFE_INTEGER))
    if (reason.startsWith(HERE) && !actions.has(id)) actions.set(id, action);
  return actions;
}
