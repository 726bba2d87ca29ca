import * as z from 'zod';
import { absoluteUrl, type Links, type Service } from '#workspace/service/service.ts';
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
import { CurlExample, curlExamples } from './curl-examples.ts';
import { type Limits, toPublicLimits, PublicLimits } from '#workspace/schemas/limits.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { nameSchemas } from '#workspace/schemas/fields.ts';

/**
 * An HTTP call of the service in the protocol. `arguments` has one line for each argument. `tool` is null for
 * a document.
 */
export const Endpoint = z.object({
  method: z.string(),
  path: z.string(),
  tool: z.string().nullable(),
  purpose: z.string(),
  arguments: z.array(z.string()),
});

export type Endpoint = z.infer<typeof Endpoint>;

/** `endpoints` and `curl` are for callers over HTTP. */
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
  endpoints: z.array(Endpoint).optional(),
  curl: z.array(CurlExample).nullable().optional(),
  mcp: z.string().nullable(),
  links: z.record(z.string(), z.string()).nullable(),
});

nameSchemas({ Endpoint, Protocol });

interface ProtocolContext {
  readonly service: Service;
  readonly limits: Limits;
  readonly links: Links<string | null>;
}

/** Creates the result of `get_protocol`: the rules of the workspace and its calls. */
export function createProtocol(
  { service, limits, links }: ProtocolContext,
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
    limits: toPublicLimits(limits),
    endpoints: [...endpoints],
    curl: curlExamples(service),
    mcp: absoluteUrl(service, '/mcp'),
    links,
  };
}
