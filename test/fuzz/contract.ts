import { ERRORS, REQUEST_BOUNDS } from '#http/responses/problem.ts';
import { OWN_HOST } from './headers.ts';
import { PAGE_RESPONSES, PAGE_TEMPLATES } from './page-templates.ts';
import type { HttpRequest } from './http-request.ts';

/** The allowed statuses, each with its allowed error codes; none for a success. */
export type AllowedResponses = ReadonlyMap<number, readonly string[]>;

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
}

const MAX_TARGET_LENGTH = 8000;
const MAX_HEAD_BYTES = 15_000;
/** Any other target may be parsed as something else than a path. */
const USUAL_TARGET = /^\/(?!\/)[!"$-~]*$/;

const errorsOf = (...codes: (keyof typeof ERRORS)[]): AllowedResponses => byStatus(codes);

function byStatus(codes: readonly (keyof typeof ERRORS)[]): AllowedResponses {
  const allowed = new Map<number, string[]>();
  for (const code of codes)
    allowed.set(ERRORS[code].status, [...(allowed.get(ERRORS[code].status) ?? []), code]);
  return allowed;
}

const NONE: AllowedResponses = new Map();
const withStatuses = (allowed: AllowedResponses, ...statuses: number[]): AllowedResponses =>
  new Map([...allowed, ...statuses.map((status) => [status, []] as const)]);

/** Every response of the contract below 500. */
const ANY_RESPONSE: AllowedResponses = withStatuses(
  byStatus((Object.keys(ERRORS) as (keyof typeof ERRORS)[]).filter((code) => ERRORS[code].status < 500)),
  200,
  201,
  202,
  204,
  301,
  302,
  304,
);

const MCP_RESPONSES: AllowedResponses = withStatuses(
  errorsOf(
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

export const hasUsualTarget = ({ target }: HttpRequest): boolean => USUAL_TARGET.test(target);

export const isMcp = ({ target }: HttpRequest): boolean => /^\/mcp(?:\/core)?\/?(?:\?|$)/.test(target);

/** The allowed responses of each request, according to the served OpenAPI document. */
export class Contract {
  readonly #operations: readonly {
    template: string;
    pattern: RegExp;
    methods: ReadonlyMap<string, AllowedResponses>;
  }[];
  readonly templates: readonly string[];

  constructor(document: OpenApi) {
    const pages = PAGE_TEMPLATES.map(
      (template) => [template, { get: { responses: PAGE_RESPONSES } }] as const,
    );
    const paths = [...Object.entries(document.paths), ...pages];
    this.templates = paths.map(([template]) => template);
    this.#operations = paths.map(([template, methods]) => ({
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

  /** @returns the path template that matches the target; undefined if none does */
  templateOf({ target }: HttpRequest): string | undefined {
    const [path = ''] = target.split('?');
    return USUAL_TARGET.test(target)
      ? this.#operations.find(({ pattern }) => pattern.test(path))?.template
      : undefined;
  }

  /** @returns the allowed responses; never a 5xx */
  allowedFor(request: HttpRequest): AllowedResponses {
    const { method, target, headers, body } = request;
    // Node's HTTP client writes some headers as UTF-8.
    const head = headers.reduce(
      (sum, [name, value]) => sum + name.length + Buffer.byteLength(value) + 4,
      method.length + target.length,
    );
    if (head > MAX_HEAD_BYTES) return ANY_RESPONSE;
    if (!USUAL_TARGET.test(target)) return ANY_RESPONSE;
    if ((body?.length ?? 0) > REQUEST_BOUNDS.bodyBytes)
      return merge(this.#allowedFor(request), errorsOf('too_large'));
    return this.#allowedFor(request);
  }

  #allowedFor(request: HttpRequest): AllowedResponses {
    const { method, target, headers } = request;
    const accessErrors = accessErrorsOf(request);
    if (target.length > MAX_TARGET_LENGTH) return merge(accessErrors, errorsOf('uri_too_long'));
    const isPreflight = method === 'OPTIONS' && !isMcp(request);
    if (isPreflight) return merge(accessErrors, withStatuses(NONE, 204));
    if (!headers.some(([name]) => name.toLowerCase() === 'host')) return accessErrors;
    const [path = ''] = target.split('?');
    if (!isDecodable(path)) return merge(accessErrors, errorsOf('malformed_request'));
    if (isMcp(request)) return mcpResponsesFor(method);
    return merge(accessErrors, this.#forPath(path, method));
  }

  #forPath(path: string, method: string): AllowedResponses {
    if (/^\/healthz\/?$/.test(path))
      return ['GET', 'HEAD'].includes(method) ? withStatuses(NONE, 200) : errorsOf('method_not_allowed');
    const operation = this.#operations.find(({ pattern }) => pattern.test(path));
    if (operation === undefined) return errorsOf('not_found');
    return operation.methods.get(method === 'HEAD' ? 'GET' : method) ?? errorsOf('method_not_allowed');
  }
}

/**
 * On a loopback address any foreign Host may be rejected; a write with a foreign Origin may be rejected
 * anywhere.
 */
function accessErrorsOf({ method, headers }: HttpRequest): AllowedResponses {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const isOfPage = values.has('origin') || values.has('sec-fetch-site');
  return errorsOf(
    ...(values.has('host') ? [] : (['malformed_request'] as const)),
    ...(values.get('host') === OWN_HOST[1] ? [] : (['forbidden_host'] as const)),
    ...(isOfPage && method === 'POST' ? (['forbidden_origin'] as const) : []),
  );
}

function merge(some: AllowedResponses, others: AllowedResponses): AllowedResponses {
  const all = new Map(some);
  for (const [status, codes] of others) all.set(status, [...(all.get(status) ?? []), ...codes]);
  return all;
}

function mcpResponsesFor(method: string): AllowedResponses {
  if (method === 'POST') return MCP_RESPONSES;
  const accessErrors = errorsOf('forbidden_origin', 'forbidden_host');
  return method === 'OPTIONS'
    ? withStatuses(accessErrors, 204)
    : new Map([...accessErrors, ...errorsOf('method_not_allowed')]);
}

function toAllowed(responses: Record<string, { description: string }>): AllowedResponses {
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
