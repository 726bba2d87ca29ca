import {
  hashContent,
  type FactOf,
  type IdempotentHit,
  type LaterStep,
  type LaterStepsLookup,
  type RecordLookup,
  type RecordsLookup,
} from '#store/port/lookups.ts';
import type { Kind, LimitScope, Records, RecordView, Timestamp } from '#store/port/records.ts';
import type { Decision, WriteOperation } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Caller, Quota } from '#workspace/service/caller.ts';
import { DAY_MS, HOUR_MS } from '#workspace/text/time.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { readOnlyMirrorError } from '#workspace/service/mirror.ts';
import { refuseSecrets, refuseServiceName } from './record-checks.ts';
import type { publishResultFields } from '#workspace/schemas/fields.ts';
import type { WorkspaceContext } from './workspace-context.ts';

const KEY_RETENTION_MS = DAY_MS;
const DUPLICATE_WINDOW_MS = HOUR_MS;

/** The end of a freeze is not known in advance. */
const FROZEN_RETRY_SECONDS = 60;

/** The result of a publishing tool without `ignored`, which `callTool` fills in. */
export type Receipt<Output extends z.ZodObject> = Omit<z.output<Output>, 'ignored'>;

/** A published record, or the record of an earlier call with the same idempotency key. */
interface PublishResult<K extends Kind> {
  readonly stored: RecordView<K>;
  /** The record that `parentId` names, as the write found it. */
  readonly parent: FactOf<RecordLookup | undefined>;
  readonly references: FactOf<RecordsLookup | undefined>;
  /** What the caller has left of each limit; none for a duplicate. */
  readonly quotas: readonly Quota[];
  readonly receipt: {
    /** Whether an earlier call published it. */
    readonly duplicate: boolean;
    /**
     * Id of a visible record of the same client, kind and content within the last hour. Always null for a
     * duplicate.
     */
    readonly possibleDuplicateOf: string | null;
    /**
     * Null for a duplicate: otherwise repeated calls would show at no cost how much a network posts.
     */
    readonly quota: z.infer<typeof publishResultFields.quota>;
  };
}

interface PublishRequest<K extends Kind> {
  readonly kind: K;
  readonly limitScope: LimitScope;
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  readonly content: Partial<Records[K]>;
  /** The post that a reply replies to, or the project of a note. */
  readonly parentId?: string | undefined;
  /** Asks for the records that the text of a post names. */
  readonly references?: RecordsLookup | undefined;
  /** Asks for later posts, which `checkLater` gets. */
  readonly laterSteps?: LaterStepsLookup | undefined;
  /** Throws an error if the record is not to be stored. It has no side effects. */
  readonly checkLater?: ((record: Records[K], later: readonly LaterStep[]) => void) | undefined;
  /**
   * Creates the record, or throws a `WorkspaceError`. It may run more than once, so it has no side effects.
   * @param parent undefined without `parentId`, or if there is no such record
   */
  readonly createRecord: (
    id: string,
    createdAt: Timestamp,
    parent: FactOf<RecordLookup | undefined>,
    references: FactOf<RecordsLookup | undefined>,
  ) => Records[K];
}

/**
 * Publishes a record. One write checks the idempotency key, the freeze, the reply target and the rate limits,
 * and adds the record, so the checks apply to parallel calls over any mix of transports and processes. A
 * repeated call returns the record of the first one, even while the store is frozen or full, and counts
 * against no limit.
 * @throws WorkspaceError read_only_mirror, invalid_request (the name of the service as an author's),
 *   looks_like_secret, idempotency_mismatch, not_found (the record of the key is no longer visible),
 *   denied_network, frozen, storage_full, rate_limited
 * @throws StoreFailure
 */
export async function publish<K extends Kind>(
  context: WorkspaceContext,
  request: PublishRequest<K>,
): Promise<PublishResult<K>> {
  const { kind, limitScope, caller, idempotencyKey, content, parentId, createRecord } = request;
  const { mirror } = context.service;
  if (mirror !== undefined) throw readOnlyMirrorError(mirror);
  refuseServiceName(kind, content, context.service);
  if (context.secretGuard) refuseSecrets(kind, content);
  const id = context.newId(kind);
  const refreshing = context.denials.refresh();
  if (refreshing !== undefined) await refreshing;
  const origin = {
    clientKey: caller.clientKey,
    limitScope,
    key: idempotencyKey ?? null,
    content: hashContent(JSON.stringify(content)),
  };
  const parent: RecordLookup | undefined =
    parentId === undefined ? undefined : { type: 'record', id: parentId };
  const lookups = {
    earlier: { type: 'idempotentHit', kind, origin, windowMs: KEY_RETENTION_MS },
    added: { type: 'record', id },
    parent,
    references: request.references,
    laterSteps: request.laterSteps,
    ages: context.rateLimiter.lookup(limitScope, caller),
    ...context.valve.lookups(caller),
    possibleDuplicateOf: { type: 'recentDuplicate', kind, origin, windowMs: DUPLICATE_WINDOW_MS },
  } as const;
  const writing = context.store.write(lookups, (facts): Decision<PublishResult<K>> => {
    const { earlier, ages, parent, references, possibleDuplicateOf = null } = facts;
    if (earlier !== undefined) return { answer: { ...replay(earlier), parent, references, quotas: [] } };
    if (facts.frozen) throw frozenError();
    context.denials.check(caller);
    context.storageLimit.check();
    const record = createRecord(id, facts.timestamp, parent, references);
    context.rateLimiter.check(limitScope, caller, ages);
    context.valve.check(facts);
    // The last check, since it takes longest.
    if (facts.laterSteps !== undefined) request.checkLater?.(record, facts.laterSteps);
    const after = [0, ...(ages ?? [])];
    return {
      answer: {
        stored: { record, children: 0 },
        parent,
        references,
        quotas: context.rateLimiter.quotasAfter(limitScope, after),
        receipt: {
          duplicate: false,
          possibleDuplicateOf,
          quota: toQuota(context.rateLimiter.tightest(limitScope, after)),
        },
      },
      operation: { action: 'add', kind, record, origin } as WriteOperation,
    };
  });
  try {
    const result = await writing;
    if (!result.receipt.duplicate) caller.onQuotas?.(result.quotas);
    return result;
  } catch (error) {
    context.valve.note(error);
    throw error;
  }
}

function toQuota(tightest: Quota | undefined): PublishResult<Kind>['receipt']['quota'] {
  if (tightest === undefined) return null;
  const { remaining, max, windowSeconds, resetSeconds } = tightest;
  return { remaining, limit: max, windowSeconds, resetsInSeconds: resetSeconds };
}

function frozenError(): WorkspaceError {
  return new WorkspaceError(
    'frozen',
    'The operator has frozen all writes; reads still work. Nothing was stored; try again later.',
    { retryAfterSeconds: FROZEN_RETRY_SECONDS },
  );
}

/** The result of a repeated call. @throws WorkspaceError idempotency_mismatch, not_found */
function replay<K extends Kind>({
  sameContent,
  stored,
}: IdempotentHit<K>): Pick<PublishResult<K>, 'stored' | 'receipt'> {
  if (!sameContent) {
    throw new WorkspaceError(
      'idempotency_mismatch',
      'This idempotency key was used within the last 24 hours for a call with other content; use a new key ' +
        'for each new publication.',
    );
  }
  if (stored === undefined) {
    throw new WorkspaceError(
      'not_found',
      'This idempotency key belongs to a record that is no longer visible; nothing was published again.',
    );
  }
  return { stored, receipt: { duplicate: true, possibleDuplicateOf: null, quota: null } };
}
