import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientContext } from './client.ts';
import { REVISIONS, type RevisionScenarios } from './scenarios.ts';

/** Pinned: the lists of scenarios.ts are for this version. */
export const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

const TIMEOUT_SECONDS = 300;

/** The check that the suite makes in every scenario. */
const WIRE_CHECK = 'wire-schema-valid';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export interface ConformanceResult {
  readonly version: string;
  readonly passed: readonly string[];
  readonly littleChecked: readonly string[];
  readonly notCounted: readonly string[];
  readonly failed: readonly string[];
}

/** Reads the checks of each scenario. The suite names folders `server-`, scenario, time. */
async function checksIn(results: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const checks = new Map<string, readonly Check[]>();
  for (const folder of await readdir(results)) {
    const text = await readFile(join(results, folder, 'checks.json'), 'utf8');
    checks.set(
      folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      JSON.parse(text) as Check[],
    );
  }
  return checks;
}

/** A check that needs a tool of the suite is reported as not testable, and does not count. */
const isFailure = ({ status, errorMessage = '' }: Check): boolean =>
  status === 'FAILURE' && !errorMessage.startsWith('Not testable');
const checksSomething = (checks: readonly Check[]): boolean =>
  checks.some(({ id, status }) => id !== WIRE_CHECK && status === 'SUCCESS');

function evaluate(
  { version, protocolOnly, littleChecked }: RevisionScenarios,
  checksByScenario: ReadonlyMap<string, readonly Check[]>,
): ConformanceResult {
  const hasNoFailure = (name: string): boolean => checksByScenario.get(name)?.some(isFailure) === false;
  const passed = protocolOnly.filter(
    (name) => hasNoFailure(name) && checksSomething(checksByScenario.get(name)!),
  );
  const littleCheckedPassed = littleChecked.filter(hasNoFailure);
  const invalidMessages = [...checksByScenario].filter(([, checks]) =>
    checks.some((check) => check.id === WIRE_CHECK && isFailure(check)),
  );
  const missed = [...protocolOnly, ...littleChecked].filter(
    (name) => !passed.includes(name) && !littleCheckedPassed.includes(name),
  );
  return {
    version,
    passed,
    littleChecked: littleCheckedPassed,
    notCounted: [...checksByScenario.keys()].filter(
      (name) => !protocolOnly.includes(name) && !littleChecked.includes(name),
    ),
    failed: [...missed, ...invalidMessages.map(([name]) => `${name} (${WIRE_CHECK})`)],
  };
}

export const hasPassed = ({ failed }: ConformanceResult): boolean => failed.length === 0;

/** Runs the suite. Its exit code is ignored, since it counts scenarios that need the suite's own tools. */
export async function runConformance({
  folder,
  service,
  commands,
}: ClientContext): Promise<readonly ConformanceResult[]> {
  const results: ConformanceResult[] = [];
  for (const revision of REVISIONS) {
    const resultsFolder = join(folder, `results-${revision.version}`);
    const args = [
      'server',
      '--url',
      `${service.url}/mcp`,
      '--suite',
      'all',
      '--spec-version',
      revision.version,
      '--output-dir',
      resultsFolder,
    ];
    await commands.runClient(join(folder, 'node_modules/.bin/conformance'), args, {
      folder,
      seconds: TIMEOUT_SECONDS,
    });
    results.push(evaluate(revision, await checksIn(resultsFolder)));
  }
  return results;
}
