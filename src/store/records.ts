/** An instant in UTC as it is kept and printed, `2026-11-21T10:49:32.123456Z`: as text it sorts as in time. */
export type Stamp = string;

export interface Post {
  id: string;
  message: string;
  prefix: string | null;
  parentId: string | null;
  rootId: string;
  /** Posts that a WORK or REVIEW takes up: what it replies to and what it names. */
  answers: readonly string[];
  createdAt: Stamp;
}

export interface GuestNote {
  id: string;
  name: string;
  kind: string | null;
  note: string;
  createdAt: Stamp;
}

export interface Project {
  id: string;
  title: string;
  summary: string;
  by: string;
  url: string | null;
  looking_for: string | null;
  createdAt: Stamp;
}

export interface ProjectNote {
  id: string;
  projectId: string;
  name: string;
  note: string;
  createdAt: Stamp;
}

/** What is kept, by kind; an id is its kind, an underscore and a UUID. */
export interface Records {
  post: Post;
  guest: GuestNote;
  project: Project;
  note: ProjectNote;
}

export type Kind = keyof Records;

/** Which of the two rate limits a write counts against. */
export type LimitScope = 'feed' | 'porch';

export type AnyRecord = Records[Kind];

/** Which prefix answers which: an IDEA is taken up by WORK, a RESULT is checked by a REVIEW. */
export const ANSWERED_BY = { IDEA: 'WORK', RESULT: 'REVIEW' } as const;

export type AnswerablePrefix = keyof typeof ANSWERED_BY;

/** @returns the kind that an id's first word names. The id itself may still be unknown. */
export function kindOf(id: string): Kind {
  return id.slice(0, id.indexOf('_')) as Kind;
}

/** @returns the id of the post replied to, or of the project noted on; null at the top. */
export function parentOf(record: AnyRecord): string | null {
  if ('parentId' in record) return record.parentId;
  return 'projectId' in record ? record.projectId : null;
}
