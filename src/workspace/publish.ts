import type { IdempotentHit, Kind, LimitScope, Records, RecordView, Store, Writer } from '#store/store.ts';
import { z } from 'zod';
import type { Caller } from './caller.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';
import { WorkspaceError } from './errors.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { StorageLimit } from './storage-limit.ts';
import { refuseSecrets } from './text/record-texts.ts';

const KEY_RETENTION_MS = DAY_MS;
const DUPLICATE_WINDOW_MS = HOUR_MS;

/** The end of a freeze is not known in advance. */
const FROZEN_RETRY_SECONDS = 60;

/** The fields of every publishing tool's result besides the record. */
export const publishResultFields = {
  duplicate: z.boolean().describe('by an earlier call'),
  possibleDuplicateOf: z.string().nullable().describe('same content within the hour'),
};

/** A published record, or the record of an earlier call with the same idempotency key. */
export interface PublishResult<K extends Kind> {
  readonly stored: RecordView<K>;
  /** Whether an earlier call published it. */
  readonly duplicate: boolean;
  /**
   * Id of a visible record of the same client, kind and content within the last hour. Always null for a
   * duplicate.
   */
  readonly possibleDuplicateOf: string | null;
}

interface PublishRequest<K extends Kind> {
  readonly kind: K;
  readonly limitScope: LimitScope;
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** The validated input without the key. A repeated call must have equal content. */
  readonly content: Partial<Records[K]>;
  /**
   * Builds the record, or throws a `WorkspaceError`. Runs within the transaction, so it may run more than
   * once.
   */
  readonly createRecord: (writer: Writer, id: string) => Promise<Omit<Records[K], 'id' | 'createdAt'>>;
}

interface PublishContext {
  /** Whether texts that look like credentials are refused. */
  readonly secretGuard: boolean;
  readonly store: Store;
  readonly rateLimiter: RateLimiter;
  readonly storageLimit: StorageLimit;
  readonly newId: (kind: Kind) => string;
}

/**
 * Publishes a record. The checks of idempotency key, freeze, reply target and rate limits share one
 * transaction with the append, so they hold for parallel calls over any mix of transports and processes. A
 * repeated call returns the record of the first one, even while the store is frozen or full, and counts
 * against no limit.
 * @throws WorkspaceError looks_like_secret, idempotency_mismatch, not_found (the record of the key is no
 *   longer visible), frozen, storage_full, rate_limited
 * @throws StoreFailure
 */
export async function publish<K extends Kind>(
  context: PublishContext,
  request: PublishRequest<K>,
): Promise<PublishResult<K>> {
  const { kind, limitScope, caller, idempotencyKey, content, createRecord } = request;
  if (context.secretGuard) refuseSecrets(kind, content);
  const origin = {
    clientKey: caller.clientKey,
    limitScope,
    key: idempotencyKey ?? null,
    content: JSON.stringify(content),
  };
  const id = context.newId(kind);
  return context.store.write(async (writer) => {
    const earlier = await writer.idempotentHit(kind, origin, KEY_RETENTION_MS);
    if (earlier !== undefined) return replay(writer, kind, earlier);
    if (await writer.frozen()) throw frozenError();
    context.storageLimit.check();
    const fields = await createRecord(writer, id);
    await context.rateLimiter.check(writer, limitScope, caller);
    const duplicateId = await writer.recentDuplicate(kind, origin, DUPLICATE_WINDOW_MS);
    const isVisible = duplicateId !== undefined && (await writer.find(kind, duplicateId)) !== undefined;
    const record = { id, ...fields } as unknown as Omit<Records[K], 'createdAt'>;
    const stored = await writer.append(kind, record, origin);
    return { stored, duplicate: false, possibleDuplicateOf: isVisible ? duplicateId : null };
  });
}

function frozenError(): WorkspaceError {
  return new WorkspaceError(
    'frozen',
    'The operator has stopped all writing for now; reading goes on. Nothing was stored; ' +
      'try again later.',
    { retryAfterSeconds: FROZEN_RETRY_SECONDS },
  );
}

/** The result of a repeated call. @throws WorkspaceError idempotency_mismatch, not_found */
async function replay<K extends Kind>(
  writer: Writer,
  kind: K,
  { id, sameContent }: IdempotentHit,
): Promise<PublishResult<K>> {
  if (!sameContent) {
    throw new WorkspaceError(
      'idempotency_mismatch',
      'This idempotency key was used within the last 24 hours for a ' +
        'call with other content; use a new key for a new thing to publish.',
    );
  }
  const stored = await writer.find(kind, id);
  if (stored === undefined || (await isProjectHidden(writer, stored.record))) {
    throw new WorkspaceError(
      'not_found',
      'This idempotency key belongs to a record that is no longer visible; ' + 'nothing was published again.',
    );
  }
  return { stored, duplicate: true, possibleDuplicateOf: null };
}

/** Hiding a project makes its notes unreachable without hiding them. */
async function isProjectHidden(writer: Writer, record: Records[Kind]): Promise<boolean> {
  return 'projectId' in record && (await writer.find('project', record.projectId)) === undefined;
}
