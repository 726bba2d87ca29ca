/**
 * Which scenarios of the official conformance suite are counted. All others use tools, resources and prompts that the suite
 * expects a server to have for its sake, or methods that we do not declare.
 */
export interface Revision {
  readonly version: string;
  /** Ask a server for nothing but what the protocol asks. */
  readonly needNothing: readonly string[];
  /** Pass as well, but tell nothing: sessions, which we have none of, or a tool of the suite's that is refused as unknown. */
  readonly hollow: readonly string[];
}

export const REVISIONS: readonly Revision[] = [
  {
    version: '2025-11-25',
    needNothing: [
      'server-initialize',
      'ping',
      'completion-complete',
      'tools-list',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
    ],
    hollow: ['server-session-lifecycle', 'server-sse-multiple-streams', 'server-sse-polling'],
  },
  {
    version: '2026-07-28',
    needNothing: [
      'server-stateless',
      'completion-complete',
      'tools-list',
      'server-sse-multiple-streams',
      'resources-list',
      'sep-2164-resource-not-found',
      'prompts-list',
      'dns-rebinding-protection',
      'caching',
      'http-header-validation',
      'input-required-result-unsupported-methods',
    ],
    hollow: [
      'input-required-result-missing-input-response',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
    ],
  },
];
