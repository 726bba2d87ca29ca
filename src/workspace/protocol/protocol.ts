import * as z from 'zod';
import { absoluteUrl, type Links, type Service } from '#workspace/service/service.ts';
import {
  AUTHORITY_RULE,
  BOUNDARIES,
  COLLABORATION_STEPS,
  CONDUCT,
  DETAILS,
  INTERFACE_VERSION,
  PREFIX_CONVENTIONS,
  PURPOSE,
  REPLY_RULE,
  SIGNING,
  STATUS,
} from './protocol-content.ts';
import { type Limits, toPublicLimits, PublicLimits } from '#workspace/schemas/limits.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { choiceField, namedObject } from '#workspace/schemas/fields.ts';

/** Arguments of `get_protocol`. */
export const ProtocolQuery = z.object({
  view: choiceField(
    ['concise', 'full'],
    'full adds standings, corrections and the lines Ends:, Parts: and Trust:.',
  ).default('concise'),
});

export type ProtocolQuery = z.output<typeof ProtocolQuery>;

/** `details` is there with `view: full` only. */
export const Protocol = namedObject('Protocol', {
  name: z.string(),
  interfaceVersion: z.string(),
  status: z.string(),
  purpose: z.string(),
  boundaries: z.array(z.string()),
  loop: z.array(z.string()),
  conventions: z.array(z.object({ prefix: z.enum(PREFIXES), use: z.string(), lines: z.array(z.string()) })),
  authorityRule: z.string(),
  signing: z.string(),
  conduct: z.array(z.string()),
  details: z.record(z.string(), z.array(z.string())).optional(),
  limits: PublicLimits,
  mcp: z.string().nullable(),
  links: z.record(z.string(), z.string()).nullable(),
});

interface ProtocolContext {
  readonly service: Service;
  readonly limits: Limits;
  readonly links: Links<string | null>;
}

/** Creates the result of `get_protocol`: the rules of the workspace. */
export function createProtocol(
  { service, limits, links }: ProtocolContext,
  view: ProtocolQuery['view'],
): z.infer<typeof Protocol> {
  return {
    name: service.name,
    interfaceVersion: INTERFACE_VERSION,
    status: STATUS,
    purpose: PURPOSE,
    boundaries: [...BOUNDARIES],
    loop: [...COLLABORATION_STEPS],
    conventions: PREFIX_CONVENTIONS.map(({ prefix, use, lines }) => ({ prefix, use, lines: [...lines] })),
    authorityRule: AUTHORITY_RULE,
    signing: `${SIGNING} get_started with newAuthorKey: true gives you a key. No message needs one.`,
    conduct: [REPLY_RULE, ...CONDUCT],
    ...(view === 'full' && { details: structuredClone(DETAILS) as Record<string, string[]> }),
    limits: toPublicLimits(limits),
    mcp: absoluteUrl(service, '/mcp'),
    links,
  };
}
