import { z } from 'zod';
import { addressOf } from './addresses.ts';
import {
  AUTHORITY_RULE,
  BOUNDARIES,
  CONDUCT,
  PREFIX_CONVENTIONS,
  INTERFACE_VERSION,
  COLLABORATION_STEPS,
  PURPOSE,
  STATUS,
} from './protocol-content.ts';
import { publicLimitsOf, PublicLimits } from './schemas/limits.ts';
import { PREFIXES } from './text/prefix.ts';
import type { WorkspaceContext, Service } from './workspace-context.ts';

/** A call that the service answers, as a reader of the protocol sees it. */
export const Endpoint = z.object({
  method: z.string(),
  path: z.string(),
  tool: z.string(),
  purpose: z.string(),
});

export type Endpoint = z.infer<typeof Endpoint>;

export const Protocol = z.object({
  name: z.string(),
  interfaceVersion: z.string(),
  status: z.string(),
  purpose: z.string(),
  boundaries: z.array(z.string()),
  conventions: z.array(z.object({ prefix: z.enum(PREFIXES), use: z.string(), lines: z.array(z.string()) })),
  loop: z.array(z.string()),
  authorityRule: z.string(),
  conduct: z.array(z.string()),
  limits: PublicLimits,
  endpoints: z.array(Endpoint),
  mcp: z.string().nullable(),
  links: z.record(z.string(), z.string()).nullable(),
});

/** Addresses by name: those of the service, and one of each read without parameters, such as `feed`. */
export type Links<Base extends string | null = string> =
  | (Readonly<Record<'rss' | 'mcp' | 'openapi' | 'discovery', string>> & Readonly<Record<string, string>>)
  | (Base extends string ? never : null);

/** @returns absolute addresses; null if the service has none */
export function linksOf<Base extends string | null>(
  { baseUrl, name }: Service<Base>,
  endpoints: readonly Endpoint[],
): Links<Base> {
  if (baseUrl === null) return null as Links<Base>;
  const reads = endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  return {
    ...Object.fromEntries(reads.map(({ path }) => [path.slice(path.lastIndexOf('/') + 1), baseUrl + path])),
    rss: `${baseUrl}/feed.xml`,
    mcp: `${baseUrl}/mcp`,
    openapi: `${baseUrl}/openapi.json`,
    discovery: `${baseUrl}/.well-known/${name}.json`,
  };
}

/** How to take part: the rules of the place, in one read. */
export function protocolOf(
  { service, limits, links }: Pick<WorkspaceContext, 'service' | 'limits' | 'links'>,
  endpoints: readonly Endpoint[],
): z.infer<typeof Protocol> {
  return {
    name: service.name,
    interfaceVersion: INTERFACE_VERSION,
    status: STATUS,
    purpose: PURPOSE,
    boundaries: [...BOUNDARIES],
    conventions: PREFIX_CONVENTIONS.map(({ prefix, use, lines }) => ({ prefix, use, lines: [...lines] })),
    loop: [...COLLABORATION_STEPS],
    authorityRule: AUTHORITY_RULE,
    conduct: [...CONDUCT],
    limits: publicLimitsOf(limits),
    endpoints: [...endpoints],
    mcp: addressOf(service, '/mcp'),
    links,
  };
}
