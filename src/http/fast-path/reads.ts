import type { FastHandler, HttpContext } from '#http/context/http-context.ts';
import type { ReadRoute } from '#http/rest/read-routes.ts';

interface Match {
  readonly route: ReadRoute;
  readonly parameters: Readonly<Record<string, string>>;
}

const NO_PARAMETERS = {};

/** Characters that mean the same in every URL parser and router. */
const PLAIN_PARAMETER = '([A-Za-z0-9_-]+)';

export function createReadHandler({ reads, readDroppableCaller, withRateLimit }: HttpContext): FastHandler {
  const match = createMatcher(reads);
  return (request, response) => {
    const found = match(request.url ?? '');
    if (found === undefined) return false;
    const { route, parameters } = found;
    withRateLimit(request, response, () =>
      route.answer(request, response, parameters, readDroppableCaller(request, response)),
    );
    return true;
  };
}

/**
 * Creates a function that finds the route of a request target, if the target has the route's exact spelling.
 */
function createMatcher(routes: readonly ReadRoute[]): (url: string) => Match | undefined {
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
    if (route !== undefined) return { route, parameters: NO_PARAMETERS };
    for (const { route: candidate, names, pattern } of patterns) {
      const [, ...values] = pattern.exec(path) ?? [];
      if (values.length === 0) continue;
      const parameters = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      return { route: candidate, parameters };
    }
    return undefined;
  };
}
