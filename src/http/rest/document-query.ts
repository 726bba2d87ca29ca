import { parseInput } from '#tool/call-tool.ts';
import { READS } from '#tool/define-tool.ts';
import { refusedArguments } from '#tool/unknown-arguments.ts';
import { invalidRequestError } from '#workspace/errors.ts';
import type { Document } from '#http/documents/document.ts';
import { createQueryReader } from './tool-arguments.ts';

type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};

/** The parameters of a path have names of their own: a feed ignores `?postId=`. */
const NO_PATH_PARAMETERS = { parameters: [] };

/**
 * @returns a function that reads the parameters of a document, in the order of its schema and with defaults. A name that
 *   the document does not know is refused below /api/ and ignored elsewhere: links to pages and feeds gain parameters on
 *   their way.
 * @throws WorkspaceError invalid_request, from the function
 */
export function createDocumentQueryReader({ path, query }: Pick<Document, 'path' | 'query'>) {
  const isStrict = path.startsWith('/api/');
  const taker = { name: path, annotations: READS };
  if (query === undefined) {
    return (sent: URLSearchParams): Fields => {
      const refused = isStrict ? refusedArguments({ ...taker, input: { shape: {} } }, [...sent.keys()]) : [];
      if (refused.length > 0) throw invalidRequestError(refused);
      return NO_FIELDS;
    };
  }
  const readArguments = createQueryReader({ input: query }, NO_PATH_PARAMETERS);
  return (sent: URLSearchParams): Fields => {
    const known = isStrict
      ? sent
      : new URLSearchParams([...sent].filter(([name]) => Object.hasOwn(query.shape, name)));
    return parseInput({ ...taker, input: query }, readArguments(known));
  };
}
