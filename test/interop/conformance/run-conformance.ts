import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientContext } from '../client.ts';
import { evaluate, readResults, type Results, type RevisionReport } from './evaluate.ts';
import { REVISIONS } from './scenarios.ts';
import { startFixture } from './start-fixture.ts';

/** Pinned: the lists of scenarios.ts are for this version. */
export const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

const TIMEOUT_SECONDS = 300;

/** Runs the suite against the fixture and against the service, in each revision. */
export async function runConformance(context: ClientContext): Promise<readonly RevisionReport[]> {
  const dataDir = join(context.folder, 'fixture');
  await mkdir(dataDir);
  const fixture = await startFixture(dataDir);
  try {
    const reports: RevisionReport[] = [];
    for (const revision of REVISIONS) {
      const { version } = revision;
      const onFixture = await runSuite(context, fixture.url, version, `fixture-${version}`);
      const onService = await runSuite(context, context.service.url, version, `service-${version}`);
      reports.push(evaluate(revision, onFixture, onService));
    }
    return reports;
  } finally {
    fixture.stop();
  }
}

/** Runs the suite. Its exit code is ignored, since it counts every failed scenario. */
async function runSuite(
  { folder, commands }: ClientContext,
  url: string,
  version: string,
  name: string,
): Promise<Results> {
  const resultsFolder = join(folder, `results-${name}`);
  const args = ['server', '--url', `${url}/mcp`, '--suite', 'all', '--spec-version', version];
  await commands.runClient(
    join(folder, 'node_modules/.bin/conformance'),
    [...args, '--output-dir', resultsFolder],
    { folder, seconds: TIMEOUT_SECONDS },
  );
  return readResults(resultsFolder);
}
