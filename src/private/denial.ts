import * as z from 'zod';

/** A denial as it is stored: of a range that an operator typed, or of the network behind a post. */
export const DenialData = z.strictObject({
  /** Milliseconds since 1970. */
  at: z.number(),
  until: z.number(),
  reason: z.string(),
  /** In CIDR notation, or one address. */
  range: z.string().optional(),
  /** The client key of a write, or its widened network, in the form in which the engine stores it. */
  behind: z
    .strictObject({ id: z.string(), at: z.number(), sealed: z.string(), isWide: z.boolean() })
    .optional(),
});

export type DenialData = z.infer<typeof DenialData>;

export interface Denial extends DenialData {
  /** For `porchlight allow`. */
  readonly n: number;
  /** Bits of what is denied, by `toBits`, or its tag. Undefined if the key of its day is destroyed. */
  readonly mark: string | undefined;
}
