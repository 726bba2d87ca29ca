import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Setting } from './client.ts';
import { REVISIONS, type Revision } from './scenarios.ts';

/** Pinned: which scenarios need nothing was found out for this one. */
export const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

const SECONDS = 300;

/** What is said of every scenario, whatever it needs. */
const WIRE = 'wire-schema-valid';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export interface Conformity {
  readonly version: string;
  readonly passed: readonly string[];
  readonly hollow: readonly string[];
  readonly notCounted: readonly string[];
  readonly failed: readonly string[];
}

/** A folder is called `server-`, the scenario, and the time. */
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

/** A check that a tool of the suite's is missing for says that it is not testable, and nothing of us. */
const isFailure = ({ status, errorMessage = '' }: Check): boolean =>
  status === 'FAILURE' && !errorMessage.startsWith('Not testable');
const showsSomething = (checks: readonly Check[]): boolean =>
  checks.some(({ id, status }) => id !== WIRE && status === 'SUCCESS');

function judge(
  { version, needNothing, hollow }: Revision,
  found: ReadonlyMap<string, readonly Check[]>,
): Conformity {
  const clean = (name: string): boolean => found.get(name)?.some(isFailure) === false;
  const passed = needNothing.filter((name) => clean(name) && showsSomething(found.get(name)!));
  const empty = hollow.filter(clean);
  const badWire = [...found].filter(([, checks]) =>
    checks.some((check) => check.id === WIRE && isFailure(check)),
  );
  const missed = [...needNothing, ...hollow].filter(
    (name) => !passed.includes(name) && !empty.includes(name),
  );
  return {
    version,
    passed,
    hollow: empty,
    notCounted: [...found.keys()].filter((name) => !needNothing.includes(name) && !hollow.includes(name)),
    failed: [...missed, ...badWire.map(([name]) => `${name} (${WIRE})`)],
  };
}

export const isConforming = ({ failed }: Conformity): boolean => failed.length === 0;

/** The suite's own exit code says nothing here, since it counts the scenarios that no real product can pass. */
export async function conform({ folder, house, commands }: Setting): Promise<readonly Conformity[]> {
  const outcome: Conformity[] = [];
  for (const revision of REVISIONS) {
    const results = join(folder, `results-${revision.version}`);
    const args = [
      'server',
      '--url',
      `${house.url}/mcp`,
      '--suite',
      'all',
      '--spec-version',
      revision.version,
      '--output-dir',
      results,
    ];
    await commands.client(join(folder, 'node_modules/.bin/conformance'), args, { folder, seconds: SECONDS });
    outcome.push(judge(revision, await checksIn(results)));
  }
  return outcome;
}
