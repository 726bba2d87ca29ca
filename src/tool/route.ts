import type { AnyTool } from './define-tool.ts';

/** A tool's place on the REST bridge. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** With its parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  /** The input fields that stand in the path. */
  readonly parameters: readonly string[];
  /** The status of an answer that is no error. */
  readonly status: 200 | 201;
}

const PARAMETER = /\{(\w+)\}/g;

export function routeOf({ http }: AnyTool): Route {
  const method = http.startsWith('GET ') ? 'GET' : 'POST';
  const path = http.slice(method.length + 1);
  const parameters = [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
  return { method, path, parameters, status: method === 'GET' ? 200 : 201 };
}

/** @returns the pattern with every `{name}` replaced by what `fill` makes of the name. */
export function fillIn(pattern: string, fill: (name: string) => string): string {
  return pattern.replace(PARAMETER, (_, name: string) => fill(name));
}
