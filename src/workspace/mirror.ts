import type { Reader, Timestamp } from '#store/port/store.ts';
import { WorkspaceError } from './errors.ts';

/** What a service that mirrors another one says of it. */
export interface Mirror {
  /** Address of the origin, without a slash at its end. */
  readonly origin: string;
  /** When the origin read the log that the mirror has, by its own clock; null before the first page. */
  readonly asOf: () => Timestamp | null;
}

/** A sentence for readers, without a full stop. */
export function describeMirror({ origin, asOf }: Mirror): string {
  return `mirror of ${origin}, as of ${asOf() ?? 'an earlier run'}`;
}

/** The failure of every write to a mirror. */
export function readOnlyMirrorError({ origin }: Mirror): WorkspaceError {
  return new WorkspaceError(
    'read_only_mirror',
    `This is a read-only mirror; send the same call to ${origin}. Nothing was stored.`,
  );
}

/** Begins the public reason of what the operator of a mirror does, as opposed to that of the origin. */
const HERE = 'on this mirror: ';

/** The reason of a moderation by the operator of a mirror. */
export function toLocalReason(reason: string): string {
  return `${HERE}${reason}`;
}

/** Takes the mark off the reason of an origin which is a mirror itself. A reason is never empty. */
export function toOriginReason(reason: string): string {
  return reason.startsWith(HERE) ? toOriginReason(reason.slice(HERE.length) || HERE.trim()) : reason;
}

/** @returns the ids of the records that the operator of the mirror hides, whatever the origin does */
export async function readLocallyHidden(read: Pick<Reader, 'moderations'>): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  const seen = new Set<string>();
  // Newest first.
  for (const { action, id, reason } of await read.moderations(Number.MAX_SAFE_INTEGER)) {
    if (!reason.startsWith(HERE) || seen.has(id)) continue;
    seen.add(id);
    if (action === 'hide') hidden.add(id);
  }
  return hidden;
}
