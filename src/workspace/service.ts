/** How the deployment calls itself. `Service<string>` is one that is reached over HTTP. */
export interface Service<Base extends string | null = string | null> {
  readonly name: string;
  /** Without a slash at its end; every link begins with it. Null where no HTTP server is known: there are no links. */
  readonly baseUrl: Base;
  readonly contact: string | null;
  /** Of the program. */
  readonly version: string;
}
