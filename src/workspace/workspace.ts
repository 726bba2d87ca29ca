import type { PrivateStore } from '#private/private-store.ts';
import { LAST_TIMESTAMP, type Kind } from '#store/port/records.ts';
import type { Change } from '#store/port/store.ts';
import { Calendar } from '#workspace/reading/calendar.ts';
import { Denials } from '#workspace/limits/denials.ts';
import { BoardReader } from '#workspace/reading/board-reader.ts';
import { RefusalLimit } from '#workspace/limits/refusal-limit.ts';
import { WriteRateLimit, TotalWriteLimit } from '#workspace/limits/write-limits.ts';
import { serviceLinks, type Service } from '#workspace/service/service.ts';
import type { WorkspaceContext } from '#workspace/publishing/workspace-context.ts';
import { createHiddenReasons } from '#workspace/moderation/moderation.ts';
import { Reports } from '#workspace/moderation/reports.ts';
import { Refusals } from '#workspace/service/errors.ts';
import { Waiters, WaitLimit } from './waiting/waiters.ts';
import { resolveAfter } from '#workspace/reading/news.ts';
import { ceilToMicrosecond, FIRST_TIMESTAMP } from '#workspace/text/time.ts';

export type RecordKind = Kind;

export type { Change };

/** The dependencies of a workspace. A test passes its own store, limits and ids. */
export interface WorkspaceOptions<Base extends string | null = string | null>
  extends Pick<
    WorkspaceContext,
    'store' | 'limits' | 'storageLimit' | 'secretGuard' | 'newId' | 'newAuthorKey' | 'now'
  > {
  readonly privateStore: PrivateStore;
  readonly service: Service<Base>;
  readonly endpoints: readonly { readonly method: string; readonly path: string }[];
}

export type Workspace<Base extends string | null = string | null> = ReturnType<typeof createWorkspace<Base>>;

/** A workspace with a base URL, so that every record has a URL. */
export type HttpWorkspace = Workspace<string>;

/**
 * Creates the context that the functions of `src/workspace/` take, and the state that calls share: the calls
 * that wait, the reports to the operator, the counts of refused calls.
 */
export function createWorkspace<Base extends string | null>({
  endpoints,
  ...options
}: WorkspaceOptions<Base>) {
  const links = serviceLinks(options.service, endpoints);
  const context: WorkspaceContext = {
    ...options,
    links,
    writeRateLimit: new WriteRateLimit(options.limits),
    refusalLimit: new RefusalLimit(options.now, 'ifUnchanged'),
    denials: new Denials(options),
    totalWriteLimit: new TotalWriteLimit(() => options.limits.writesPerMinuteTotal, options.now),
    boards: new BoardReader(options.store),
  };
  const { privateStore, store, now } = options;
  const { read } = store;
  const maxPerHour = (): number => options.limits.reportsPerHour;
  return {
    ...context,
    service: options.service,
    /** Absolute URLs by name; null if the service has no base URL. */
    links,
    calendar: new Calendar(read, now),
    reports: new Reports({ privateStore, read, maxPerHour, now }),
    hiddenReasons: createHiddenReasons(read),
    refusals: new Refusals(),
    /**
     * Finds the id of the first post in the thread of a post. For any other record it returns the same id.
     * @returns undefined if no visible record of the kind has the id
     */
    findRoot: async (kind: Kind, id: string): Promise<string | undefined> => {
      const { record } = (await read.find(kind, id)) ?? {};
      return record !== undefined && 'rootId' in record ? record.rootId : record?.id;
    },
    waiters: new Waiters(store),
    waitLimit: new WaitLimit(options.limits.waitsPerNetwork),
    /**
     * Finds the one cursor that stands for all cursors with the same page: the time of a record.
     * @returns undefined for an invalid cursor, and for an `after` that is later than everything in the store
     */
    recordCursor: async (side: 'before' | 'after', cursor: string): Promise<string | undefined> => {
      const at = side === 'before' ? ceilToMicrosecond(cursor) : await resolveAfter(read, { after: cursor });
      if (at === undefined) return undefined;
      const { atOrBefore, atOrAfter } = await read.timestampsAround(at);
      if (side === 'before') return atOrAfter ?? LAST_TIMESTAMP;
      return atOrAfter === null ? undefined : (atOrBefore ?? FIRST_TIMESTAMP);
    },
  };
}
