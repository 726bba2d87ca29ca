import type { AnyTool } from '#tool/define-tool.ts';
import type { Pause } from '#tool/read-gate.ts';

/** The body of a document with what its headers say of it. */
export interface DocumentContent {
  readonly text: string;
  /**
   * `createdAt` of the newest record in it, for Last-Modified; null if there is none. If-Modified-Since is not evaluated, only
   * the ETag: two revisions may share a second, and hiding the newest message sets the time back.
   */
  readonly lastModified: string | null;
}

/** A readable address that is not a tool. */
export interface Document {
  /** Parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly type: string;
  /** Value of Cache-Control. */
  readonly cacheControl: string;
  /** Value of Link. */
  readonly link?: string;
  /** The parameters of the query that the document depends on. Below /api/ others are refused, elsewhere ignored. */
  readonly query?: AnyTool['input'];
  /**
   * Milliseconds for which the document stays as it is, whatever changes in the store. Left out: it is made anew after
   * each change. Only for a document without parameters and without texts, which an erase could not remove.
   */
  readonly maxAgeMs?: number;
  /** @param parameters of the path @param query validated by `query` @throws WorkspaceError */
  readonly body: (
    parameters: Readonly<Record<string, string>>,
    query: Readonly<Record<string, unknown>>,
    pause: Pause,
  ) => string | DocumentContent | Promise<string | DocumentContent>;
}
