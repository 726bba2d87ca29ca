import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ClientContext } from '../client.ts';
import type { Host, HostLaunch } from './host.ts';
import type { ScriptedCall } from '../model/script.ts';
import { startScriptedModel, type TimedRequest } from '../model/scripted-model.ts';
import type { Endpoint } from '../service.ts';

const PROMPT = 'Do what the script says.';
const CLOSING = 'Done as scripted.';

export interface HostResult {
  /** What the host asked its model. */
  readonly requests: readonly TimedRequest[];
  /** Empty if the host ended with the closing text. */
  readonly problems: readonly string[];
}

async function writeFiles(home: string, files: HostLaunch['files'] = {}): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/**
 * Starts a host once, with a home folder and a model of its own.
 * @param calls of the model @param seconds after which the host is stopped
 */
export async function runHost(
  host: Host,
  { folder, commands, createFolder }: ClientContext,
  { target }: Endpoint,
  calls: readonly ScriptedCall[],
  seconds?: number,
): Promise<HostResult> {
  const model = await startScriptedModel({ calls, closing: CLOSING });
  try {
    const { files, add, args, settings = {} } = host.launch(target, model.url, PROMPT);
    const workFolder = await createFolder();
    // Where `runClient` has the home folder.
    await writeFiles(join(workFolder, 'home'), files);
    const options = { folder: workFolder, settings, ...(seconds !== undefined && { seconds }) };
    const run = (some: readonly string[]) =>
      commands.runClient(join(folder, 'node_modules/.bin', host.bin), some, options);
    const added = add && (await run(add));
    const { code, stdout, stderr } = added === undefined || added.code === 0 ? await run(args) : added;
    const isDone = code === 0 && stdout.includes(CLOSING);
    const output = `${stdout} ${stderr}`.trim().slice(-300);
    return {
      requests: model.requests,
      problems: [
        ...(isDone ? [] : [`exit code ${code ?? 'none'}: ${output}`]),
        ...model.unknown.map((path) => `the model knows no ${path}`),
      ],
    };
  } finally {
    model.close();
  }
}
