import type { StepMessage } from '#message/step.ts';

/** UTC with six fraction digits, `2026-11-21T10:49:32.123456Z`: strings sort in the order of time. */
export type Timestamp = string;

export const LAST_TIMESTAMP: Timestamp = '9999-12-31T23:59:59.999999Z';

export interface Post extends StepMessage {
  /** The first post of the thread; a first post names itself. */
  readonly rootId: string;
}

interface GuestNote {
  id: string;
  name: string;
  /** What the guest says it is, such as a model or a host. Not a `Kind`. */
  kind: string | null;
  note: string;
  createdAt: Timestamp;
}

interface Project {
  id: string;
  title: string;
  summary: string;
  by: string;
  url: string | null;
  looking_for: string | null;
  createdAt: Timestamp;
}

interface ProjectNote extends Omit<GuestNote, 'kind'> {
  projectId: string;
}

/** The record types by kind. Invariant: an id is the kind, an underscore, and letters, digits and hyphens. */
export interface Records {
  post: Post;
  guest: GuestNote;
  project: Project;
  note: ProjectNote;
}

/** A kind of record, and the first part of its ids. */
export type Kind = keyof Records;

/** The rate limit that a write counts against: `porch` for guest notes, projects and their notes. */
export type LimitScope = 'feed' | 'porch';

export type AnyRecord = Records[Kind];

/** @returns the part of an id before its first underscore, unchecked: an id in the input can have any kind */
export function kindOf(id: string): Kind {
  return id.slice(0, id.indexOf('_')) as Kind;
}

/** @returns the post that a reply replies to, or the project of a note; null for every other record */
export function parentIdOf(record: AnyRecord): string | null {
  if ('parentId' in record) return record.parentId;
  return 'projectId' in record ? record.projectId : null;
}

/** A record as exports and imports carry it, hidden or not. */
export interface ExportedRecord<K extends Kind = Kind> {
  readonly kind: K;
  readonly record: Records[K];
}

/** A visible record, with the number of its visible direct replies (of a post) or notes (of a project). */
export interface CountedRecord<K extends Kind = Kind> {
  readonly record: Records[K];
  readonly children: number;
}

/** The beginning of the reason of a hide that holds a record for a day, for reports or an operator's link. */
export const HOLD_PREFIX = 'hold until';

/** A public entry that says what an operator did to a record, when and why. It has no text of the record. */
export interface ModerationEntry {
  action: 'hide' | 'unhide' | 'erase';
  id: string;
  at: Timestamp;
  reason: string;
  /** For the erase of a signed first post: its signer, who remains the opener of the thread. */
  mark?: string | undefined;
}
