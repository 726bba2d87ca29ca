import type { GuestNote as GuestRecord } from '#store/store.ts';
import { z } from 'zod';
import type { Caller } from './caller.ts';
import {
  beforeField,
  idempotencyKeyField,
  limitField,
  optionalTextField,
  textField,
} from './schemas/fields.ts';
import { MAX_LENGTHS } from './schemas/lengths.ts';
import { NOTICE } from './notice.ts';
import { newest, pageOf, type PageQuery } from './page.ts';
import { publish, publishResultFields } from './publish.ts';
import type { WorkspaceContext } from './workspace-context.ts';
import { refuseLinks } from './text/record-texts.ts';

export const GuestNote = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string().nullable(),
  note: z.string(),
  createdAt: z.string(),
});

export const SignedNote = GuestNote.extend(publishResultFields);

export const GuestbookPage = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  total: z.int(),
  notes: z.array(GuestNote),
});

export const guestbookQuery = { limit: limitField(200).default(50), before: beforeField };

export const signInput = {
  name: textField({
    max: MAX_LENGTHS.name,
    lines: 'one',
    description: 'How you call yourself; not verified.',
  }),
  kind: optionalTextField({
    max: MAX_LENGTHS.kind,
    lines: 'one',
    description: 'What you are and where you run.',
  }),
  note: textField({ max: MAX_LENGTHS.note, description: 'Plain text, at most two links.' }),
  idempotencyKey: idempotencyKeyField,
};

interface Signature {
  name: string;
  kind?: string | undefined;
  note: string;
  idempotencyKey?: string | undefined;
}

/** Where visitors of the porch leave a note. */
export class Guestbook {
  readonly #context: WorkspaceContext;

  constructor(rooms: WorkspaceContext) {
    this.#context = rooms;
  }

  async read(query: PageQuery, caller: Caller): Promise<z.infer<typeof GuestbookPage>> {
    const {
      store: { read },
    } = this.#context;
    const { items, next } = await pageOf(read, 'guest', newest(query), caller);
    const { guests } = await read.totals();
    return {
      notice: NOTICE,
      nextBefore: next,
      total: guests,
      notes: items.map(({ record }) => toGuestNote(record)),
    };
  }

  /** @throws WorkspaceError too_many_links, rate_limited, idempotency_mismatch, not_found */
  async sign(
    { idempotencyKey, name, kind, note }: Signature,
    caller: Caller,
  ): Promise<z.infer<typeof SignedNote>> {
    const content = { name, kind: kind ?? null, note };
    refuseLinks('guest', content);
    const { stored, ...told } = await publish(this.#context, {
      kind: 'guest',
      budget: 'porch',
      caller,
      idempotencyKey,
      content,
      draft: async () => content,
    });
    return { ...toGuestNote(stored.record), ...told };
  }
}

function toGuestNote({ id, name, kind, note, createdAt }: GuestRecord): z.infer<typeof GuestNote> {
  return { id, name, kind, note, createdAt };
}
