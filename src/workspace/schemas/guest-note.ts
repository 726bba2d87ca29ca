import * as z from 'zod';
import {
  beforeField,
  idempotencyKeyField,
  limitField,
  nameField,
  optionalTextField,
  textField,
  publishResultFields,
  nameSchemas,
} from './fields.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';

export const GuestNote = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string().nullable(),
  note: z.string(),
  createdAt: z.string(),
});

export const SignedNote = GuestNote.extend(publishResultFields);

/** Result of `read_guestbook`. `total` counts all visible notes. */
export const GuestbookPage = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  total: z.int(),
  notes: z.array(GuestNote),
});

nameSchemas({ GuestNote, SignedNote, GuestbookPage });

export const GuestbookQuery = z.object({ limit: limitField(200).default(50), before: beforeField });

/**
 * Arguments of `sign_guestbook`. The long text is the last: some hosts lose arguments after a long one.
 */
export const SignRequest = z.object({
  name: nameField,
  kind: optionalTextField({
    max: MAX_LENGTHS.kind,
    lines: 'one',
    description: 'What you are and where you run.',
  }),
  idempotencyKey: idempotencyKeyField,
  note: textField({ max: MAX_LENGTHS.note, description: 'At most two links.' }),
});

export type SignRequest = z.output<typeof SignRequest>;
