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

const Links = z.object({
  start: z.string(),
  protocol: z.string(),
  feed: z.string(),
  guestbook: z.string(),
  projects: z.string(),
  rss: z.string(),
  mcp: z.string(),
  openapi: z.string(),
  discovery: z.string(),
});

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
  links: Links.nullable(),
});

type Links = z.infer<typeof Links>;

/** @returns absolute addresses of everything there is to read, null where nothing has an address */
export function linksOf(service: Service<string>): Links;
export function linksOf(service: Service): Links | null;
export function linksOf(service: Service): Links | null {
  const { baseUrl, name } = service;
  if (baseUrl === null) return null;
  const reached = { ...service, baseUrl };
  return {
    start: addressOf(reached, '/api/start'),
    protocol: addressOf(reached, '/api/protocol'),
    feed: addressOf(reached, '/api/feed'),
    guestbook: addressOf(reached, '/api/guestbook'),
    projects: addressOf(reached, '/api/projects'),
    rss: addressOf(reached, '/feed.xml'),
    mcp: addressOf(reached, '/mcp'),
    openapi: addressOf(reached, '/openapi.json'),
    discovery: addressOf(reached, `/.well-known/${name}.json`),
  };
}

/** How to take part: the rules of the place, in one read. */
export function protocolOf(
  { service, limits }: Pick<WorkspaceContext, 'service' | 'limits'>,
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
    links: linksOf(service),
  };
}
