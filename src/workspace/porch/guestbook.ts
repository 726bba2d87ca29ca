import type { GuestNote as GuestRecord } from '#store/port/records.ts';
import type * as z from 'zod';
import type { Caller, TextLimit } from '#workspace/service/caller.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { newest, readPage, type PageQuery } from '#workspace/reading/page.ts';
import { publish, type Receipt } from '#workspace/publishing/publish.ts';
import type { GuestbookPage, GuestNote, SignedNote, SignRequest } from '#workspace/schemas/guest-note.ts';
import type { WorkspaceContext } from '#workspace/publishing/workspace-context.ts';
import { refuseLinks } from '#workspace/publishing/record-checks.ts';

export async function readGuestbook(
  { store: { read } }: Pick<WorkspaceContext, 'store'>,
  query: PageQuery,
  textLimit: TextLimit,
): Promise<z.infer<typeof GuestbookPage>> {
  const { items, next } = await readPage(read, 'guest', newest(query), textLimit);
  const { guests } = await read.totals();
  return {
    notice: NOTICE,
    nextBefore: next,
    total: guests,
    notes: items.map(({ record }) => toGuestNote(record)),
  };
}

/** Adds a note. @throws WorkspaceError too_many_links, and the codes of `publish` */
export async function signGuestbook(
  context: WorkspaceContext,
  { idempotencyKey, name, kind, note }: SignRequest,
  caller: Caller,
): Promise<Receipt<typeof SignedNote>> {
  const content = { name, kind: kind ?? null, note };
  refuseLinks('guest', content);
  const { stored, receipt } = await publish(context, {
    kind: 'guest',
    limitScope: 'porch',
    caller,
    idempotencyKey,
    content,
    createRecord: ({ id, createdAt }) => ({ id, ...content, createdAt }),
  });
  return { ...toGuestNote(stored.record), ...receipt };
}

function toGuestNote({ id, name, kind, note, createdAt }: GuestRecord): z.infer<typeof GuestNote> {
  return { id, name, kind, note, createdAt };
}
