import type { PrivateStore } from '#private/private-store.ts';
import { LAST_TIMESTAMP, type Kind } from '#store/port/records.ts';
import type { Change } from '#store/port/store.ts';
import { Calendar } from '#workspace/reading/calendar.ts';
import { Denials } from '#workspace/limits/denials.ts';
import { BoardReader } from '#workspace/reading/board-reader.ts';
import { RefusalLimit } from '#workspace/limits/refusal-limit.ts';
import { WriteRateLimit, TotalWriteLimit } from '#workspace/limits/write-limits.ts';
import { serviceLinks } from '#workspace/service/service.ts';
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
    WorkspaceContext<Base>,
    'store' | 'limits' | 'storageLimit' | 'secretGuard' | 'service' | 'newId' | 'newAuthorKey' | 'now'
  > {
  readonly privateStore: PrivateStore;
  readonly endpoints: readonly { readonly method: string; readonly path: string }[];
}

/** The domain, as tools, pages and documents use it: the context, and the state that calls share. */
export interface Workspace<Base extends string | null = string | null> extends WorkspaceContext<Base> {
  readonly calendar: Calendar;
  readonly reports: Reports;
  readonly hiddenReasons: ReturnType<typeof createHiddenReasons>;
  /** Counts refused calls. */
  readonly refusals: Refusals;
  readonly waiters: Waiters;
  readonly waitLimit: WaitLimit;
  /**
   * Finds the id of the first post in the thread of a post. For any other record it returns the same id.
   * @returns undefined if no visible record of the kind has the id
   */
  findRoot(kind: Kind, id: string): Promise<string | undefined>;
  /**
   * Finds the one cursor that stands for all cursors with the same page: the time of a record.
   * @returns undefined for an invalid cursor, and for an `after` that is later than everything in the store
   */
  recordCursor(side: 'before' | 'after', cursor: string): Promise<string | undefined>;
}

/** A workspace with a base URL, so that every record has a URL. */
export type HttpWorkspace = Workspace<string>;

export function createWorkspace<Base extends string | null>({
  endpoints,
  privateStore,
  ...options
}: WorkspaceOptions<Base>): Workspace<Base> {
  const { store, limits, now } = options;
  const { read } = store;
  return {
    ...options,
    links: serviceLinks(options.service, endpoints),
    boards: new BoardReader(store),
    writeRateLimit: new WriteRateLimit(limits),
    totalWriteLimit: new TotalWriteLimit(() => limits.writesPerMinuteTotal, now),
    refusalLimit: new RefusalLimit(now, 'ifUnchanged'),
    denials: new Denials({ privateStore, now }),
    calendar: new Calendar(read, now),
    reports: new Reports({ privateStore, read, maxPerHour: () => limits.reportsPerHour, now }),
    hiddenReasons: createHiddenReasons(read),
    refusals: new Refusals(),
    waiters: new Waiters(store),
    waitLimit: new WaitLimit(limits.waitsPerNetwork),
    findRoot: async (kind, id) => {
      const { record } = (await read.find(kind, id)) ?? {};
      return record !== undefined && 'rootId' in record ? record.rootId : record?.id;
    },
    recordCursor: async (side, cursor) => {
      const at = side === 'before' ? ceilToMicrosecond(cursor) : await resolveAfter(read, { after: cursor });
      if (at === undefined) return undefined;
      const { atOrBefore, atOrAfter } = await read.timestampsAround(at);
      if (side === 'before') return atOrAfter ?? LAST_TIMESTAMP;
      return atOrAfter === null ? undefined : (atOrBefore ?? FIRST_TIMESTAMP);
    },
  };
}
