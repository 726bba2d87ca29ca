import { parseInput } from '#tool/call-tool.ts';
import { READS } from '#tool/define-tool.ts';
import { refusedArguments } from '#tool/unknown-arguments.ts';
import { invalidRequestError } from '#workspace/service/errors.ts';
import type { Document } from '#http/documents/document.ts';
import { createQueryReader } from './tool-arguments.ts';

type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};

/** Path parameters are not query parameters: a feed ignores `?postId=`. */
const NO_PATH_PARAMETERS = { parameters: [] };

/** Names of filters that a page, a feed or a tool has, or that a reader may guess. */
const FILTER = new RegExp(
  '^(?:q|query|search|words|any|prefix|kind|type|tag|category|threads|list|before|after|since|until|' +
    'year|limit|offset|page|author|author[-_]?key|name|posts|view|standing|status|outcome)$',
  'i',
);

/**
 * Creates a function that reads the query parameters of a document, in the order of its schema and with
 * defaults. Below /api/ an unknown name is refused. Elsewhere it is ignored, since others add parameters to
 * links to pages and feeds, unless it looks like a filter or is one letter or two off a known name: without it
 * the response would have more than the reader asked for. The function throws WorkspaceError invalid_request.
 */
export function createDocumentQueryReader(path: string, query: Document['query']) {
  const isStrict = path.startsWith('/api/');
  // No error repeats a path.
  const rules = { name: 'this address', annotations: READS };
  const shape = query?.shape ?? {};
  const isRefused = (name: string): boolean =>
    !Object.hasOwn(shape, name) &&
    (isStrict || FILTER.test(name) || Object.keys(shape).some((known) => isNear(name, known)));
  const readArguments = query && createQueryReader({ input: query }, NO_PATH_PARAMETERS);
  return (received: URLSearchParams): Fields => {
    // An empty parameter, as a form sends it, counts as absent.
    const sent = new URLSearchParams([...received].filter(([, value]) => value !== ''));
    const refused = refusedArguments({ ...rules, input: { shape } }, [...sent.keys()].filter(isRefused));
    if (refused.length > 0) throw invalidRequestError(refused);
    if (query === undefined || readArguments === undefined) return NO_FIELDS;
    const known = [...sent].filter(([name]) => Object.hasOwn(shape, name));
    return parseInput({ ...rules, input: query }, readArguments(new URLSearchParams(known)));
  };
}

/** Whether a name is another by one wrong, missing or further letter, or by two of a long name. */
function isNear(name: string, known: string): boolean {
  if (known.length < 3 || Math.abs(name.length - known.length) > 2) return false;
  // The edit distance (Wagner and Fischer), row by row.
  let row = Array.from({ length: known.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(name.toLowerCase()).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(known).entries())
      next.push(
        Math.min((next[at] ?? 0) + 1, (row[at + 1] ?? 0) + 1, (row[at] ?? 0) + Number(letter !== other)),
      );
    row = next;
  }
  return (row.at(-1) ?? 0) <= (known.length > 5 ? 2 : 1);
}
