import { ERRORS } from '#http/error-table.ts';
import { OWN_HOST } from './headers.ts';
import type { Sending } from './requests.ts';

/** The codes that each status may come with; none where it is no error. */
export type Allowed = ReadonlyMap<number, readonly string[]>;

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
}

const MOST_TARGET = 8000;
const MOST_HEAD = 15_000;
/** With anything else in it the address is read by other rules than those of a path. */
const PLAIN = /^\/(?!\/)[!"$-~]*$/;

const allow = (...codes: (keyof typeof ERRORS)[]): Allowed => byStatus(codes);

function byStatus(codes: readonly (keyof typeof ERRORS)[]): Allowed {
  const allowed = new Map<number, string[]>();
  for (const code of codes)
    allowed.set(ERRORS[code].status, [...(allowed.get(ERRORS[code].status) ?? []), code]);
  return allowed;
}

const none: Allowed = new Map();
const also = (allowed: Allowed, ...statuses: number[]): Allowed =>
  new Map([...allowed, ...statuses.map((status) => [status, []] as const)]);

/** All of the contract but what is the service's own fault. */
export const ANYTHING: Allowed = also(
  byStatus((Object.keys(ERRORS) as (keyof typeof ERRORS)[]).filter((code) => ERRORS[code].status < 500)),
  200,
  201,
  202,
  204,
  304,
);

const MCP: Allowed = also(
  allow(
    'malformed_json',
    'forbidden_origin',
    'forbidden_host',
    'not_acceptable',
    'too_large',
    'unsupported_media_type',
  ),
  200,
  202,
  404,
);

export const isPlain = ({ target }: Sending): boolean => PLAIN.test(target);

export const isMcp = ({ target }: Sending): boolean => /^\/mcp\/?(?:\?|$)/.test(target);

/** What the served documents promise for each request. */
export class Contract {
  readonly #operations: readonly {
    template: string;
    pattern: RegExp;
    methods: ReadonlyMap<string, Allowed>;
  }[];
  readonly templates: readonly string[];

  constructor({ paths }: OpenApi) {
    this.templates = Object.keys(paths);
    this.#operations = Object.entries(paths).map(([template, methods]) => ({
      template,
      pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
      methods: new Map(
        Object.entries(methods).map(([method, { responses }]) => [
          method.toUpperCase(),
          toAllowed(responses),
        ]),
      ),
    }));
  }

  /** @returns the template that an address stands for; undefined where there is none. */
  templateOf({ target }: Sending): string | undefined {
    const [path = ''] = target.split('?');
    return PLAIN.test(target)
      ? this.#operations.find(({ pattern }) => pattern.test(path))?.template
      : undefined;
  }

  /** @returns what a request may be answered with; never a 5xx. */
  allowedFor(sending: Sending): Allowed {
    const { method, target, headers } = sending;
    // Node's client writes some heads as UTF-8.
    const head = headers.reduce(
      (sum, [name, value]) => sum + name.length + Buffer.byteLength(value) + 4,
      method.length + target.length,
    );
    if (head > MOST_HEAD) return ANYTHING;
    if (!PLAIN.test(target)) return ANYTHING;
    const refusals = refusalsOf(sending);
    if (target.length > MOST_TARGET) return merged(refusals, allow('uri_too_long'));
    const isPreflight = method === 'OPTIONS' && !isMcp(sending);
    if (isPreflight) return merged(refusals, also(none, 204));
    if (!headers.some(([name]) => name.toLowerCase() === 'host')) return refusals;
    const [path = ''] = target.split('?');
    if (!isDecodable(path)) return merged(refusals, allow('malformed_json'));
    if (isMcp(sending)) return mcpFor(method);
    return merged(refusals, this.#forPath(path, method));
  }

  #forPath(path: string, method: string): Allowed {
    if (/^\/healthz\/?$/.test(path))
      return ['GET', 'HEAD'].includes(method) ? also(none, 200) : allow('method_not_allowed');
    const operation = this.#operations.find(({ pattern }) => pattern.test(path));
    if (operation === undefined) return allow('not_found');
    return operation.methods.get(method === 'HEAD' ? 'GET' : method) ?? allow('method_not_allowed');
  }
}

/** Any Host may be refused where the service listens on a loopback address, and writes of pages from elsewhere anywhere. */
function refusalsOf({ method, headers }: Sending): Allowed {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const isOfPage = values.has('origin') || values.has('sec-fetch-site');
  return allow(
    ...(values.has('host') ? [] : (['malformed_json'] as const)),
    ...(values.get('host') === OWN_HOST[1] ? [] : (['forbidden_host'] as const)),
    ...(isOfPage && method === 'POST' ? (['forbidden_origin'] as const) : []),
  );
}

function merged(some: Allowed, others: Allowed): Allowed {
  const all = new Map(some);
  for (const [status, codes] of others) all.set(status, [...(all.get(status) ?? []), ...codes]);
  return all;
}

function mcpFor(method: string): Allowed {
  if (method === 'POST') return MCP;
  const strangers = allow('forbidden_origin', 'forbidden_host');
  return method === 'OPTIONS'
    ? also(strangers, 204)
    : new Map([...strangers, ...allow('method_not_allowed')]);
}

function toAllowed(responses: Record<string, { description: string }>): Allowed {
  return new Map(
    Object.entries(responses).flatMap(([status, { description }]) => {
      const number = Number(status);
      if (number >= 500 || number === 429) return [];
      return [[number, number < 400 ? [] : description.split(', ')] as const];
    }),
  );
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
