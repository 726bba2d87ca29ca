import { type AnyTool, AUTHOR_KEY, isRead } from './define-tool.ts';
import { DOCUMENT_PURPOSES } from '#workspace/protocol/protocol-content.ts';
import { inputSchema, type JsonSchema } from './json-schema.ts';

/** An HTTP route that lists of the API name. `tool` is null for a document. */
export interface Endpoint {
  readonly method: ToolRoute['method'];
  readonly path: string;
  readonly tool: string | null;
  readonly purpose: string;
}

export interface ToolRoute {
  readonly method: 'GET' | 'POST';
  /** Parameters in braces, as in OpenAPI: `/api/posts/{postId}`. */
  readonly path: string;
  readonly parameters: readonly string[];
  readonly status: 200 | 201;
}

const PATH_PARAMETER = /\{(\w+)\}/g;

export function parseRoute({ http }: AnyTool): ToolRoute {
  const method = isRead({ http }) ? 'GET' : 'POST';
  const path = http.slice(method.length + 1);
  const parameters = [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => name);
  return { method, path, parameters, status: method === 'GET' ? 200 : 201 };
}

export function fillIn(pattern: string, fill: (name: string) => string): string {
  return pattern.replace(PATH_PARAMETER, (_, name: string) => fill(name));
}

/** Lists the REST route of every tool, then the feeds and the log. */
export function listEndpoints(tools: readonly AnyTool[]): Endpoint[] {
  const calls = tools.map((tool): Endpoint => {
    const { method, path } = parseRoute(tool);
    return { method, path, tool: tool.name, purpose: tool.title };
  });
  const documents = Object.entries(DOCUMENT_PURPOSES).map(
    ([path, purpose]): Endpoint => ({ method: 'GET', path, tool: null, purpose }),
  );
  return [...calls, ...documents];
}

const KEY_HEADER = 'the header Authorization: Bearer plk-…';

/** Describes each argument of the REST call in one line, such as `limit (1 to 100, default 50)`. */
export function describeArguments(tool: AnyTool): string[] {
  const { properties, required = [] } = inputSchema(tool);
  return Object.entries(properties).map(([argument, schema]) => {
    const inQuery = tool.inQuery?.[argument];
    const name = inQuery?.name ?? argument;
    const facts = [
      ...(required.includes(argument) ? ['required'] : []),
      ...(argument === AUTHOR_KEY ? [`${isRead(tool) ? 'as' : 'or'} ${KEY_HEADER}`] : []),
      ...describeValues({ ...schema, ...(inQuery && { default: inQuery.default }) }),
      ...(inQuery === undefined ? [] : [`over MCP ${argument}, default ${String(schema.default)}`]),
    ];
    const call = facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
    return schema.description === undefined ? call : `${call}: ${schema.description}`;
  });
}

function describeValues(schema: JsonSchema): string[] {
  const { minimum, maximum, minItems = 0, maxItems, maxLength, format, default: standard } = schema;
  return [
    ...(schema.enum === undefined ? [] : [schema.enum.join(' | ')]),
    ...(maximum === undefined ? [] : [`${minimum ?? 0} to ${maximum}`]),
    ...(maxItems === undefined ? [] : [`${minItems} to ${maxItems}, by commas`]),
    ...(maxLength === undefined ? [] : [`to ${maxLength} characters`]),
    ...(format === undefined ? [] : [format]),
    ...(standard === undefined ? [] : [`default ${String(standard)}`]),
  ];
}
