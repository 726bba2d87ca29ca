import type { OutgoingHttpHeaders } from 'node:http';
import type { AnyTool } from '#tool/define-tool.ts';
import type { Pause } from '#tool/read-gate.ts';
import type { ErrorCode } from '#workspace/service/errors.ts';

export interface DocumentContent {
  readonly text: string;
  /** The time of the last change (RFC 3339), for Last-Modified; absent if unknown. */
  readonly lastModified?: string;
  readonly location?: string;
  /** Replaces the `cacheControl` of the document. */
  readonly cacheControl?: string;
}

/** The functions that a document or a page may call while it reads its content. */
export interface Reading {
  readonly pause: Pause;
  /** Receives the time at which the clock alone changes the content, in milliseconds since 1970. */
  readonly expireAt: (time: number) => void;
}

/** How the text of a document is sent. */
export interface DocumentFormat {
  readonly type: string;
  /** The encoding of the text; UTF-8 if absent. */
  readonly encoding?: 'base64' | undefined;
  /** The value of Cache-Control. With `no-store` this server does not cache the document either. */
  readonly cacheControl: string;
  readonly link?: string | undefined;
  /** A value of Vary besides Accept-Encoding. */
  readonly vary?: string | undefined;
}

export interface Document extends DocumentFormat {
  /** The summary in OpenAPI; absent for a document that OpenAPI leaves out. */
  readonly summary?: string;
  /** Headers that replace common ones. */
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly query?: AnyTool['input'];
  /** The errors of `body`, except those of every read and of unknown path parameters. */
  readonly errors?: readonly ErrorCode[];
  /**
   * How long the document is cached, in milliseconds, even if the store changes. If absent, the document is
   * created again after each change. Only for a document without parameters and without texts that others
   * wrote, because the cache would keep an erased text.
   */
  readonly maxAgeMs?: number;
  /** How many ms the document is cached while the store does not change; absent for no limit. */
  readonly freshMs?: number | undefined;
  /** @param parameters of the path @param query validated by `query` @throws WorkspaceError */
  readonly body: (
    parameters: Readonly<Record<string, string>>,
    query: Readonly<Record<string, unknown>>,
    reading: Reading,
  ) => string | DocumentContent | Promise<string | DocumentContent>;
}
