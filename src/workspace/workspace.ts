import type { Budget, Kind, Revision, Store } from '#store/store.ts';
import type { z } from 'zod';
import type { Caller } from './caller.ts';
import { Feed } from './feed.ts';
import { RateLimiter, type Quota } from './rate-limit.ts';
import { Guestbook } from './guestbook.ts';
import type { Limits } from './schemas/limits.ts';
import { watchChanges, type VisibleChange } from './changes.ts';
import { linksOf, type Links } from './links.ts';
import { protocolOf, type Endpoint, type Protocol } from './protocol.ts';
import { Projects } from './projects.ts';
import type { WorkspaceContext } from './workspace-context.ts';
import type { Service } from './service.ts';
import { startOf, type Start } from './start.ts';
import type { StorageLimit } from './storage-limit.ts';

/** What a workspace is made of; a test hands in another world. */
export interface WorkspaceOptions<Base extends string | null = string | null> {
  readonly store: Store;
  readonly limits: Limits;
  readonly storageLimit: StorageLimit;
  readonly secretGuard: boolean;
  readonly service: Service<Base>;
  readonly newId: (kind: Kind) => string;
  /** What the protocol lists as calls. */
  readonly endpoints: readonly Endpoint[];
}

/** The domain as the tools see it. */
export interface Workspace<Base extends string | null = string | null> {
  readonly feed: Feed;
  readonly guestbook: Guestbook;
  readonly projects: Projects;
  readonly service: Service<Base>;
  /** Absolute addresses by name; null if no HTTP server is known. */
  readonly links: Links<Base>;
  protocol(): z.infer<typeof Protocol>;
  start(): Promise<z.infer<typeof Start>>;
  /** How much the caller may still write, as of now. */
  quotas(budget: Budget, caller: Caller): Promise<Quota[]>;
  /** Whether an operator has frozen writing. */
  frozen(): Promise<boolean>;
  /** While this number stays the same, so does the answer to every read; it only rises. */
  readonly revision: () => Revision | Promise<Revision>;
  /** Calls the listener after every visible change, also of other processes. @returns stops the calls */
  watch(listener: (change: VisibleChange) => void): () => void;
}

/** A workspace that is reached over HTTP, so that everything in it has an address. */
export type HttpWorkspace = Workspace<string>;

export function createWorkspace<Base extends string | null>({
  endpoints,
  ...world
}: WorkspaceOptions<Base>): Workspace<Base> {
  const links = linksOf(world.service, endpoints);
  const rooms: WorkspaceContext = { ...world, links, rateLimiter: new RateLimiter(world.limits) };
  const protocol = protocolOf(rooms, endpoints);
  return {
    feed: new Feed(rooms),
    guestbook: new Guestbook(rooms),
    projects: new Projects(rooms),
    service: world.service,
    links,
    protocol: () => protocol,
    start: () => startOf(rooms),
    quotas: (budget, caller) => rooms.rateLimiter.quotas(rooms.store.read, budget, caller),
    frozen: () => world.store.read.frozen(),
    revision: () => world.store.revision(),
    watch: (listener) => watchChanges(world.store, listener),
  };
}
