import {
  hashContent,
  type LookupResult,
  type LookupResults,
  type IdempotentHit,
  type LaterPost,
  type LaterPostsLookup,
  type RecordLookup,
  type RecordsLookup,
} from '#store/port/lookups.ts';
import type { Kind, LimitScope, Records, CountedRecord, Timestamp } from '#store/port/records.ts';
import type { Decision, WriteOperation } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Caller, Quota } from '#workspace/service/caller.ts';
import { tightestOf } from '#workspace/limits/write-limits.ts';
import { DAY_MS, HOUR_MS } from '#workspace/text/time.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { readOnlyMirrorError } from '#workspace/service/mirror.ts';
import { refuseLinks, refuseSecrets, refuseServiceName } from './record-checks.ts';
import type { publishResultFields } from '#workspace/schemas/fields.ts';
import type { WorkspaceContext } from './workspace-context.ts';

const KEY_RETENTION_MS = DAY_MS;
const DUPLICATE_WINDOW_MS = HOUR_MS;
/** The end of a freeze is not known in advance. */
const FROZEN_RETRY_SECONDS = 60;

/** What a call of `publish` returns: its record, or that of an earlier call with the same idempotency key. */
export interface PublishOutcome<K extends Kind> {
  readonly stored: CountedRecord<K>;
  /** The records that the text of a post names, as the write found them. */
  readonly named: LookupResult<RecordsLookup | undefined>;
  /** How much of each limit the caller has left, for the headers of REST; empty for a duplicate. */
  readonly quotas: readonly Quota[];
  /** The fields of the receipt that all kinds of record have. */
  readonly fields: {
    /** Whether an earlier call published it. */
    readonly duplicate: boolean;
    /**
     * The id of a visible record that the same client published within the last hour with the same kind and
     * content. Null for a duplicate.
     */
    readonly possibleDuplicateOf: string | null;
    /** Null for a duplicate: otherwise a repeated call would reveal, at no cost, how much a network posts. */
    readonly quota: z.infer<typeof publishResultFields.quota>;
  };
}

/** What `createRecord` needs to make the record. */
interface RecordContext {
  readonly id: string;
  readonly createdAt: Timestamp;
  /** The record that `parentId` names; undefined if there is none. */
  readonly parent: LookupResult<RecordLookup | undefined>;
  readonly named: LookupResult<RecordsLookup | undefined>;
}

interface PublishRequest<K extends Kind> {
  readonly kind: K;
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  readonly content: Partial<Records[K]>;
  /** The post that a reply replies to, or the project of a note. */
  readonly parentId?: string | undefined;
  /** The lookup of the records that the text of a post names. */
  readonly named?: RecordsLookup | undefined;
  /** Creates the record, or throws why it cannot. It may run more than once, so it has no side effects. */
  readonly createRecord: (context: RecordContext) => Records[K];
  /** The lookup of the posts that came after what the caller has read. */
  readonly later?: LaterPostsLookup | undefined;
  /** Throws if one of these posts refuses the record. It may run more than once, too. */
  readonly checkLater?: (record: Records[K], later: readonly LaterPost[]) => void;
}

/**
 * Publishes a record. One write checks the idempotency key, the freeze, what the record depends on and the
 * limits, and adds the record, so the checks apply to parallel calls over any mix of transports and
 * processes. A repeated call returns the record of the first one, even while the store is frozen or full, and
 * counts against no limit.
 * @example
 *   await publish(context, { kind: 'guest', caller, content, idempotencyKey: 'key 1',
 *     createRecord: ({ id, createdAt }) => ({ id, ...content, createdAt }) });
 *   // { stored: { record, children: 0 }, fields: { duplicate: false, … }, … }; sent again: duplicate: true
 * @throws WorkspaceError read_only_mirror, invalid_request (the author has a name of the service),
 *   too_many_links, looks_like_secret, idempotency_mismatch, not_found (the record of the key is no longer
 *   visible), denied_network, frozen, storage_full, rate_limited, and what `createRecord` and `checkLater` throw
 * @throws StoreFailure
 */
export async function publish<K extends Kind>(
  context: WorkspaceContext,
  request: PublishRequest<K>,
): Promise<PublishOutcome<K>> {
  const { kind, caller, idempotencyKey, content, parentId } = request;
  const { service, denials, storageLimit, writeRateLimit, totalWriteLimit } = context;
  const limitScope: LimitScope = kind === 'post' ? 'feed' : 'porch';
  if (service.mirror !== undefined) throw readOnlyMirrorError(service.mirror);
  refuseServiceName(kind, content, service);
  if (limitScope === 'porch') refuseLinks(kind, content);
  if (context.secretGuard) refuseSecrets(kind, content);
  const id = context.newId(kind);
  const refreshing = denials.refresh();
  if (refreshing !== undefined) await refreshing;
  // Not in `decide`, which has no side effects: the limit logs when it is reached.
  const storageFull = storageLimit.reached();
  const origin = {
    clientKey: caller.clientKey,
    limitScope,
    key: idempotencyKey ?? null,
    content: hashContent(JSON.stringify(content)),
  };
  // What `decide` needs to know from the store; `added` is for the store itself.
  const lookups = {
    earlier: { type: 'idempotentHit', kind, origin, windowMs: KEY_RETENTION_MS },
    added: { type: 'record', id },
    parent: parentId === undefined ? undefined : ({ type: 'record', id: parentId } as const),
    named: request.named,
    later: request.later,
    ages: writeRateLimit.lookup(limitScope, caller),
    ...totalWriteLimit.lookups(caller),
    possibleDuplicateOf: { type: 'recentDuplicate', kind, origin, windowMs: DUPLICATE_WINDOW_MS },
  } as const;
  // Throws, or returns the result and the record to store. May run more than once for one call.
  const decide = (found: LookupResults<typeof lookups>): Decision<PublishOutcome<K>> => {
    if (found.earlier !== undefined) return { result: replay(found.earlier, found.named) };
    if (found.frozen) throw frozenError();
    denials.check(caller);
    if (storageFull !== undefined) throw storageFull;
    const { timestamp: createdAt, parent, named } = found;
    const record = request.createRecord({ id, createdAt, parent, named });
    writeRateLimit.check(limitScope, caller, found.ages);
    totalWriteLimit.check(found);
    // The last check, since it takes the longest.
    if (found.later !== undefined) request.checkLater?.(record, found.later);
    const quotas = writeRateLimit.quotasAfter(limitScope, [0, ...(found.ages ?? [])]);
    const possibleDuplicateOf = found.possibleDuplicateOf ?? null;
    return {
      result: {
        stored: { record, children: 0 },
        named: found.named,
        quotas,
        fields: { duplicate: false, possibleDuplicateOf, quota: toQuota(tightestOf(quotas)) },
      },
      operation: { action: 'add', kind, record, origin } as WriteOperation,
    };
  };
  try {
    const published = await context.store.write(lookups, decide);
    if (!published.fields.duplicate) caller.onQuotas?.(published.quotas);
    return published;
  } catch (error) {
    totalWriteLimit.recordRefusal(error);
    throw error;
  }
}

function toQuota(tightest: Quota | undefined): PublishOutcome<Kind>['fields']['quota'] {
  if (tightest === undefined) return null;
  const { remaining, max, windowMs, resetSeconds } = tightest;
  return { remaining, limit: max, windowSeconds: windowMs / 1000, resetsInSeconds: resetSeconds };
}

function frozenError(): WorkspaceError {
  return new WorkspaceError(
    'frozen',
    'The operator has frozen all writes; reads still work. Nothing was stored; try again later.',
    { retryAfterSeconds: FROZEN_RETRY_SECONDS },
  );
}

/** @returns the outcome of the earlier call. @throws WorkspaceError idempotency_mismatch, not_found */
function replay<K extends Kind>(
  { sameContent, stored }: IdempotentHit<K>,
  named: PublishOutcome<K>['named'],
): PublishOutcome<K> {
  if (!sameContent) {
    throw new WorkspaceError(
      'idempotency_mismatch',
      'This idempotency key was used within the last 24 hours for a call with different content; use a new ' +
        'key for each new message or note.',
    );
  }
  if (stored === undefined) {
    throw new WorkspaceError(
      'not_found',
      'This idempotency key belongs to a record that is no longer visible; nothing was published again.',
    );
  }
  return { stored, named, quotas: [], fields: { duplicate: true, possibleDuplicateOf: null, quota: null } };
}
