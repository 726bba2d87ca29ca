import type { ModerationEntry, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { WorkspaceError } from './errors.ts';

/** What a service that mirrors another one says of it. */
export interface Mirror {
  /** Address of the origin, without a slash at its end. */
  readonly origin: string;
  /** Of an origin that is a mirror: the address of its own origin, of the origin of that one, and so on. */
  readonly mirrors: () => readonly string[];
  /** When the origin read the log that the mirror has, by its own clock; null before its end was read. */
  readonly asOf: () => Timestamp | null;
}

/** The addresses that lead from a mirror to the service that takes writes, which is the last one. */
export function originsOf({ origin, mirrors }: Mirror): readonly [string, ...string[]] {
  return [origin, ...mirrors()];
}

/** The address of the service that takes writes. */
export function writableOrigin(mirror: Mirror): string {
  const [origin, ...others] = originsOf(mirror);
  return others.at(-1) ?? origin;
}

/** A sentence for readers, without a full stop. */
export function describeMirror(mirror: Mirror): string {
  return `mirror of ${originsOf(mirror).join(', a mirror of ')}, as of ${mirror.asOf() ?? 'an earlier run'}`;
}

/** The failure of every write to a mirror. */
export function readOnlyMirrorError(mirror: Mirror): WorkspaceError {
  return new WorkspaceError(
    'read_only_mirror',
    `This is a read-only mirror; send the same call to ${writableOrigin(mirror)}. Nothing was stored.`,
  );
}

/** Begins the public reason of what a mirror or its operator does, as opposed to the origin. */
const HERE = 'on this mirror: ';

/** The reason of a moderation by a mirror or its operator. */
export function toLocalReason(reason: string): string {
  return `${HERE}${reason}`;
}

/** Takes the mark off the reason of an origin which is a mirror itself. A reason is never empty. */
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
