import type { Mirror } from './mirror.ts';

/** The deployment as it presents itself. `Service<string>` has a base URL. */
export interface Service<Base extends string | null = string | null> {
  readonly name: string;
  /**
   * Origin and path without a trailing slash, the start of every link. Null if there is no HTTP server to
   * link to.
   */
  readonly baseUrl: Base;
  readonly contact: string | null;
  readonly version: string;
  /** Set if the service mirrors another one and refuses writes. */
  readonly mirror?: Mirror | undefined;
}
