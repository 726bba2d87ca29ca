/** What a run has to show for one revision. */
export interface ExpectedScenarios {
  readonly version: string;
  /** The scenarios that the fixture fails, by the reason. The run fails if any other fails, and if one of these does not. */
  readonly failedByFixture: ReadonlyMap<string, readonly string[]>;
  /** The scenarios that need nothing but the protocol, so the service has to pass them too. */
  readonly ofService: readonly string[];
}

export const REVISIONS: readonly ExpectedScenarios[] = [
  {
    version: '2025-11-25',
    failedByFixture: new Map([
      [
        'The server asks the client for something during a call. Without sessions its answer cannot reach that call.',
        [
          'tools-call-sampling',
          'tools-call-elicitation',
          'elicitation-sep1034-defaults',
          'elicitation-sep1330-enums',
        ],
      ],
      [
        'The service declares no `logging`: it has nothing to log for a caller, and no session in which to keep a level.',
        ['logging-set-level', 'tools-call-with-logging'],
      ],
      [
        'A subscription belongs to a session. The service declares `subscribe` over stdio and, over HTTP, in 2026-07-28.',
        ['resources-subscribe', 'resources-unsubscribe'],
      ],
    ]),
    ofService: [
      'server-initialize',
      'server-session-lifecycle',
      'ping',
      'tools-list',
      'server-sse-polling',
      'server-sse-multiple-streams',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
    ],
  },
  {
    version: '2026-07-28',
    failedByFixture: new Map([
      [
        'No tool of the service declares headers that repeat its arguments (`x-mcp-header`), so the fixture has none.',
        ['http-custom-header-server-validation'],
      ],
    ]),
    ofService: [
      'server-stateless',
      'tools-list',
      'server-sse-multiple-streams',
      'resources-list',
      'sep-2164-resource-not-found',
      'prompts-list',
      'dns-rebinding-protection',
      'caching',
      'http-header-validation',
      'input-required-result-missing-input-response',
      'input-required-result-unsupported-methods',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
    ],
  },
];
