/**
 * The scenarios of the official conformance suite that count. All others use tools, resources and prompts of
 * the suite's own, or methods that the service does not declare.
 */
export interface RevisionScenarios {
  readonly version: string;
  /** Scenarios that need only what the protocol requires. */
  readonly protocolOnly: readonly string[];
  /**
   * Scenarios that pass with few checks: sessions, which the service does not have, or an unknown tool of the
   * suite.
   */
  readonly littleChecked: readonly string[];
}

export const REVISIONS: readonly RevisionScenarios[] = [
  {
    version: '2025-11-25',
    protocolOnly: [
      'server-initialize',
      'ping',
      'completion-complete',
      'tools-list',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
    ],
    littleChecked: ['server-session-lifecycle', 'server-sse-multiple-streams', 'server-sse-polling'],
  },
  {
    version: '2026-07-28',
    protocolOnly: [
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
    littleChecked: [
      'input-required-result-missing-input-response',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
    ],
  },
];
