import { test } from 'node:test';
import { ERRORS } from '#http/responses/problem.ts';
import { assertGenerated } from '../support/golden.ts';

const INTRODUCTION = `# Errors

Every failure is a problem as RFC 9457 describes it, with a stable \`code\`. REST sends it with the status
below. Over MCP a failed tool call has \`isError\`, and the \`code\`, \`detail\` and further members as JSON text
in \`content\`. Reads still work after \`denied_network\`, \`frozen\`, \`storage_full\` and \`read_only_mirror\`.

\`npm run gen\` writes this file from \`src/http/responses/problem.ts\`.
`;

test('docs/errors.md holds every code of the error table', () => {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, when, remedy }]) => `| \`${code}\` | ${status} | ${when} | ${remedy} |`,
  );
  const table = ['| code | status | when | how to fix the call |', '|---|---|---|---|', ...rows].join('\n');
  assertGenerated('docs/errors.md', `${INTRODUCTION}\n${table}\n`);
});
