import type { ClientAndKind } from '#store/engine/write-history.ts';
import type { DayTags, ClientTags } from '#store/postgres/schema/client-tags.ts';
import type { IdempotentHitLookup, Lookup, RecentDuplicateLookup } from '#store/port/lookups.ts';
import { isStorableText } from '#store/postgres/connection/storable-text.ts';

/** A row of `asked`, with the columns that the type needs. */
export interface AskedRow {
  readonly n: number;
  readonly type: Lookup['type'] | 'allWriteAges' | 'networkWriteAges';
  readonly [column: string]: unknown;
}

/**
 * @param n the position of the lookup in the batch
 * @returns the rows of `asked` for a lookup: one for each tag that may match; none for an id that no record
 *   can have
 */
export function toAskedRows(lookup: Lookup, n: number, tagsOf: (windowMs: number) => DayTags[]): AskedRow[] {
  switch (lookup.type) {
    case 'record':
    case 'moderation':
      return isStorableText(lookup.id) ? [{ n, ...lookup }] : [];
    case 'nameOwner': {
      const { type, postId: id, look } = lookup;
      return isStorableText(id) ? [{ n, type, id, look }] : [];
    }
    case 'idempotentHit': {
      const { type, windowMs, origin } = lookup;
      const { key } = origin;
      if (key === null) return [];
      return tagsOf(windowMs).map((day) => ({ n, type, windowMs, tag: day.key(scopeOf(lookup), key) }));
    }
    case 'recentDuplicate': {
      const { type, windowMs, origin } = lookup;
      const { content } = origin;
      return tagsOf(windowMs).map((day) => ({
        n,
        type,
        windowMs,
        tag: day.content(scopeOf(lookup), content),
      }));
    }
    case 'recentWriteAges': {
      const { by, ...asked } = lookup;
      if (by === null) return [{ n, ...asked, type: 'allWriteAges' }];
      const days = tagsOf(lookup.windowMs);
      if ('widened' in by)
        return days.map((day) => ({ n, ...asked, type: 'networkWriteAges', tag: day.network(by.widened) }));
      const { clientKey, limitScope } = by;
      return days.map((day) => ({ n, ...asked, limitScope, tag: day.client(clientKey) }));
    }
    default:
      return [{ n, ...lookup }];
  }
}

/** @returns the content hash of an idempotent hit if it is that of the lookup, else its tag */
export function contentOf(
  { at, content }: { readonly at: number; readonly content: string },
  lookup: IdempotentHitLookup,
  tags: ClientTags,
): string {
  const { content: hash } = lookup.origin;
  return tags.ofWindow(at, 0).some((day) => day.content(scopeOf(lookup), hash) === content) ? hash : content;
}

/** @returns the scope within which idempotency keys and contents are compared */
function scopeOf({ kind, origin }: IdempotentHitLookup | RecentDuplicateLookup): ClientAndKind {
  return { kind, clientKey: origin.clientKey };
}
