import { z } from 'zod';
import {
  AUTHORITY_RULE,
  BOUNDARIES,
  CONDUCT,
  CONVENTIONS,
  INTERFACE_VERSION,
  LOOP,
  PURPOSE,
  STATUS,
} from './conventions.ts';
import { publicLimitsOf, PublicLimits } from './limits.ts';
import { PREFIXES } from './prefix.ts';
import type { Rooms } from './rooms.ts';

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
  mcp: z.string(),
  links: Links,
});

/** @returns absolute addresses of everything there is to read. */
export function linksOf({ baseUrl, name }: Rooms['service']): z.infer<typeof Links> {
  return {
    start: `${baseUrl}/api/start`,
    protocol: `${baseUrl}/api/protocol`,
    feed: `${baseUrl}/api/feed`,
    guestbook: `${baseUrl}/api/guestbook`,
    projects: `${baseUrl}/api/projects`,
    rss: `${baseUrl}/feed.xml`,
    mcp: `${baseUrl}/mcp`,
    openapi: `${baseUrl}/openapi.json`,
    discovery: `${baseUrl}/.well-known/${name}.json`,
  };
}

/** How to take part: the rules of the place, in one read. */
export function protocolOf(
  { service, limits }: Pick<Rooms, 'service' | 'limits'>,
  endpoints: readonly Endpoint[],
): z.infer<typeof Protocol> {
  const links = linksOf(service);
  return {
    name: service.name,
    interfaceVersion: INTERFACE_VERSION,
    status: STATUS,
    purpose: PURPOSE,
    boundaries: [...BOUNDARIES],
    conventions: CONVENTIONS.map(({ prefix, use, lines }) => ({ prefix, use, lines: [...lines] })),
    loop: [...LOOP],
    authorityRule: AUTHORITY_RULE,
    conduct: [...CONDUCT],
    limits: publicLimitsOf(limits),
    endpoints: [...endpoints],
    mcp: links.mcp,
    links,
  };
}
