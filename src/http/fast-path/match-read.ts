import { rawQuery } from '#http/rest/tool-arguments.ts';
import type { ReadRoute } from '#http/rest/read-routes.ts';

interface Match {
  readonly route: ReadRoute;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: string;
}

const NO_PARAMETERS = {};

/** Characters that mean the same in every URL parser and router. */
const PLAIN_PARAMETER = '([A-Za-z0-9_-]+)';

/**
 * Creates a function that finds the route of a request target, if the target has the route's exact spelling.
 */
export function createReadMatcher(routes: readonly ReadRoute[]): (url: string) => Match | undefined {
  const fixed = new Map(routes.filter(({ path }) => !path.includes('{')).map((route) => [route.path, route]));
  const patterns = routes
    .filter(({ path }) => path.includes('{'))
    .map((route) => ({
      route,
      names: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, PLAIN_PARAMETER)}$`),
    }));
  return (url) => {
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const route = fixed.get(path);
    if (route !== undefined) return { route, parameters: NO_PARAMETERS, query: rawQuery(url) };
    for (const { route: candidate, names, pattern } of patterns) {
      const [, ...values] = pattern.exec(path) ?? [];
      if (values.length === 0) continue;
      const parameters = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      return { route: candidate, parameters, query: rawQuery(url) };
    }
    return undefined;
  };
}
