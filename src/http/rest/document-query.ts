import { parseInput } from '#tool/call-tool.ts';
import { READS } from '#tool/define-tool.ts';
import { refusedArguments } from '#tool/unknown-arguments.ts';
import { invalidRequestError } from '#workspace/errors.ts';
import type { Document } from '#http/documents/document.ts';
import { createQueryReader } from './tool-arguments.ts';

type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};

/** Path parameters are not query parameters: a feed ignores `?postId=`. */
const NO_PATH_PARAMETERS = { parameters: [] };

/**
 * Creates a function that reads the query parameters of a document, in the order of its schema and with
 * defaults. An unknown name is refused below /api/ and ignored elsewhere, since links to pages and feeds
 * often gain parameters. The function throws WorkspaceError invalid_request.
 */
export function createDocumentQueryReader({ path, query }: Pick<Document, 'path' | 'query'>) {
  const isStrict = path.startsWith('/api/');
  const rules = { name: path, annotations: READS };
  if (query === undefined) {
    return (sent: URLSearchParams): Fields => {
      const refused = isStrict ? refusedArguments({ ...rules, input: { shape: {} } }, [...sent.keys()]) : [];
      if (refused.length > 0) throw invalidRequestError(refused);
      return NO_FIELDS;
    };
  }
  const readArguments = createQueryReader({ input: query }, NO_PATH_PARAMETERS);
  return (sent: URLSearchParams): Fields => {
    const known = isStrict
      ? sent
      : new URLSearchParams([...sent].filter(([name]) => Object.hasOwn(query.shape, name)));
    return parseInput({ ...rules, input: query }, readArguments(known));
  };
}
