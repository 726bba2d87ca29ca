import type { AnyTool } from './define-tool.ts';

export interface ToolRoute {
  readonly method: 'GET' | 'POST';
  /** Parameters in braces, as in OpenAPI: `/api/posts/{postId}`. */
  readonly path: string;
  readonly parameters: readonly string[];
  readonly status: 200 | 201;
}

const PATH_PARAMETER = /\{(\w+)\}/g;

export function parseRoute({ http }: AnyTool): ToolRoute {
  const method = http.startsWith('GET ') ? 'GET' : 'POST';
  const path = http.slice(method.length + 1);
  const parameters = [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => name);
  return { method, path, parameters, status: method === 'GET' ? 200 : 201 };
}

/** Replaces every `{name}` of a pattern by `fill(name)`. */
export function fillIn(pattern: string, fill: (name: string) => string): string {
  return pattern.replace(PATH_PARAMETER, (_, name: string) => fill(name));
}
