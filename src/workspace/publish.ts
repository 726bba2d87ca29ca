import type { Budget, RecordView, Kind, Records, Store, Writer } from '#store/store.ts';
import { z } from 'zod';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { StorageLimit } from './storage-limit.ts';
import { refuseSecrets } from './text/record-texts.ts';

const HOUR_MS = 60 * 60 * 1000;
const KEY_VALID_MS = 24 * HOUR_MS;
const DUPLICATE_WINDOW_MS = HOUR_MS;

/** Nobody knows when an operator thaws; a client that asks every minute does no harm. */
const FROZEN_RETRY_SECONDS = 60;

/** What an answer to a write says besides the record. */
export const publishResultFields = {
  duplicate: z.boolean().describe('by an earlier call'),
  possibleDuplicateOf: z.string().nullable().describe('same content within the hour'),
};

export interface PublishResult<K extends Kind> {
  readonly stored: RecordView<K>;
  readonly duplicate: boolean;
  readonly possibleDuplicateOf: string | null;
}

interface PublishRequest<K extends Kind> {
  readonly kind: K;
  readonly budget: Budget;
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** The validated input, by which a repeated call is told from another one. */
  readonly content: Partial<Records[K]>;
  /** The record to keep. Refuses by throwing; may run more than once. */
  readonly draft: (writer: Writer, id: string) => Promise<Omit<Records[K], 'id' | 'createdAt'>>;
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
 * Publishes a record. Retry, target, limit, stamp and record are one act of the store, so that they hold for parallel
 * calls through any mix of transports and processes. A repeated call is answered before the limits, also while writing
 * is frozen or the store is full, and costs nothing.
 */
export async function publish<K extends Kind>(
  press: PublishContext,
  submission: PublishRequest<K>,
): Promise<PublishResult<K>> {
  const { kind, budget, caller, idempotencyKey, content, draft } = submission;
  if (press.secretGuard) refuseSecrets(kind, content);
  const trace = {
    visitor: caller.clientKey,
    budget,
    key: idempotencyKey ?? null,
    content: JSON.stringify(content),
  };
  const id = press.newId(kind);
  return press.store.write(async (writer) => {
    const earlier = await writer.idempotentHit(kind, trace, KEY_VALID_MS);
    if (earlier !== undefined) return replay(writer, kind, earlier);
    if (await writer.frozenError()) throw frozen();
    press.storageLimit.check();
    const drafted = await draft(writer, id);
    await press.rateLimiter.check(writer, budget, caller);
    const twin = await writer.recentDuplicate(kind, trace, DUPLICATE_WINDOW_MS);
    const visible = twin !== undefined && (await writer.find(kind, twin)) !== undefined;
    const record = { id, ...drafted } as unknown as Omit<Records[K], 'createdAt'>;
    const stored = await writer.append(kind, record, trace);
    return { stored, duplicate: false, possibleDuplicateOf: visible ? twin : null };
  });
}

function frozen(): WorkspaceError {
  return new WorkspaceError(
    'frozen',
    'The operator has stopped all writing for now; reading goes on. Nothing was stored; ' +
      'try again later.',
    { retryAfterSeconds: FROZEN_RETRY_SECONDS },
  );
}

async function replay<K extends Kind>(
  writer: Writer,
  kind: K,
  { id, sameContent }: { id: string; sameContent: boolean },
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

/** A note is gone with its project, though nobody hid the note. */
async function isProjectHidden(writer: Writer, record: Records[Kind]): Promise<boolean> {
  return 'projectId' in record && (await writer.find('project', record.projectId)) === undefined;
}
