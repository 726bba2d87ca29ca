import { abbreviate, codePointLength } from '#message/code-points.ts';
import { refersTo } from '#message/references.ts';
import type { CountedRecord } from '#store/port/records.ts';
import type * as z from 'zod';
import { sameKeyOf } from '#work/message-view.ts';
import { MAX_LISTED, type Message, type MessagePreview } from '#workspace/schemas/post.ts';
import { postUrl, type Service } from '#workspace/service/service.ts';
import type { Prefix } from '#workspace/text/prefix.ts';

/** In code points. */
const MAX_EXCERPT_LENGTH = 280;

/**
 * A post as tools return it, with what else is said of it. To spread both into another object takes V8 ten
 * times as long.
 * @param described fields that the record does not have
 */
export function toMessage<Described extends object>(
  service: Service,
  { record, children }: CountedRecord<'post'>,
  described: Described,
) {
  const message: Omit<z.infer<typeof Message>, 'refersTo'> = {
    id: record.id,
    name: record.name ?? null,
    message: record.message,
    prefix: record.prefix as Prefix | null,
    parentId: record.parentId,
    rootId: record.rootId,
    createdAt: record.createdAt,
    replyCount: children,
    url: postUrl(service, record.id),
  };
  return Object.assign(message, described);
}

type Preview = z.infer<typeof MessagePreview>;

/** @param described fields that the record does not have */
export function toPreview<Described extends Partial<Preview>>(
  { record, children }: CountedRecord<'post'>,
  described: Described,
): Preview & Described {
  const excerpt = abbreviate(record.message, MAX_EXCERPT_LENGTH);
  return {
    id: record.id,
    name: record.name ?? null,
    prefix: record.prefix as Prefix | null,
    excerpt,
    rootId: record.rootId,
    createdAt: record.createdAt,
    replyCount: children,
    ...sameKeyOf({ ...record, message: excerpt }),
    ...described,
    refersTo: (described.refersTo ?? refersTo(record)).slice(0, MAX_LISTED),
  };
}

const messageLength = ({ record }: CountedRecord<'post'>): number => codePointLength(record.message);

const excerptLength = ({ record }: CountedRecord<'post'>): number =>
  codePointLength(abbreviate(record.message, MAX_EXCERPT_LENGTH));

/** @returns a function that counts the code points that a read with this `view` returns of a post */
export function lengthIn(view: string | undefined): (post: CountedRecord<'post'>) => number {
  return view === 'preview' ? excerptLength : messageLength;
}
