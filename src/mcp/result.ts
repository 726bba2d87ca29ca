import type { Page } from '#tool/pages.ts';
import { toWorkspaceError, type Failure, type WorkspaceError } from '#workspace/errors.ts';
import type { Message } from './message.ts';
import { ProtocolError, RPC } from './protocol-error.ts';

/** Told of failures that are ours, for the log. */
export type Report = (error: WorkspaceError) => void;

/** @returns what may be told of a failure, whatever was thrown. */
export function failureOf(thrown: unknown, report: Report): Failure {
  const error = toWorkspaceError(thrown);
  if (error.cause !== undefined) report(error);
  return error.failure;
}

type ToolResult = ReturnType<typeof makeToolResult>;

/** Of pages that are kept, so that a result that many ask for is made once. */
const results = new WeakMap<Page, ToolResult>();
/** The JSON of the long parts of a result. */
const texts = new WeakMap<object, string>();

/** The same JSON twice, as structured content and as text, for hosts that read only one of them. */
export function toToolResult(page: Page): ToolResult {
  const known = results.get(page);
  if (known !== undefined) return known;
  const result = makeToolResult(page);
  results.set(page, result);
  texts.set(result.structuredContent, page.text).set(result.content, JSON.stringify(result.content));
  return result;
}

/** @returns an answer as JSON, without writing again what was written for another. */
export function toJson(answer: Message): string {
  if (!('result' in answer)) return JSON.stringify(answer);
  const { result, ...rest } = answer;
  const members = Object.entries(result)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${texts.get(value as object) ?? JSON.stringify(value)}`);
  return `{"result":{${members.join(',')}},${JSON.stringify(rest).slice(1)}`;
}

function makeToolResult({ output, text }: Page) {
  return { content: [{ type: 'text', text }], structuredContent: output };
}

/** As text alone: a client would hold structured content against the output schema. */
export function toToolFailure(failure: Failure) {
  return { content: [{ type: 'text', text: JSON.stringify(failure) }], isError: true };
}

export function toResource(uri: string, { text }: Page) {
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}

/** A resource read has no result for a failure, only the protocol's errors. */
export function toResourceError(failure: Failure): ProtocolError {
  const code =
    failure.code === 'not_found'
      ? RPC.resourceNotFound
      : failure.code === 'invalid_request'
        ? RPC.invalidParams
        : RPC.internal;
  return new ProtocolError(code, failure.detail, failure);
}
