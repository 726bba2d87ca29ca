import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ClientContext, InteropClient, Row, Verdict } from './client.ts';
import type { Host } from './hosts/host.ts';
import { hasSearched, shownName, type Script } from './model/script.ts';
import { startScriptedModel, type ScriptedModel } from './model/scripted-model.ts';
import type { CallParams } from './recorded-messages.ts';
import { InteropService, TOOLS, type Endpoint } from './service.ts';
import { waitRun, type WaitReport } from './waits.ts';

const listOf = (words: Iterable<string>): string =>
  [...new Set(words)].map((word) => `\`${word}\``).join(', ');

const WAIT_SECONDS = 25;

const PROMPT = 'Do what the script says.';

const CLOSING = 'Done as scripted.';

const readAndPost = (message: string): Script => ({
  calls: [
    { tool: 'read_feed', args: { limit: 20 } },
    { tool: 'post_message', args: { name: 'Interop', message } },
  ],
  closing: CLOSING,
});

const waitFor = (waitSeconds: number): Script => ({
  calls: [{ tool: 'wait_for_messages', args: { waitSeconds } }],
  closing: CLOSING,
});

interface HostResult {
  readonly model: ScriptedModel;
  /** Empty if the host ended with the closing text. */
  readonly problems: readonly string[];
}

/** Starts a host once, with a home folder of its own and a model of its own. */
async function runHost(
  host: Host,
  { folder, commands, createFolder }: ClientContext,
  { target }: Endpoint,
  script: Script,
  seconds?: number,
): Promise<HostResult> {
  const model = await startScriptedModel(script);
  try {
    const { files = {}, add, args, settings } = host.launch(target, model.url, PROMPT);
    const workFolder = await createFolder();
    for (const [path, content] of Object.entries(files)) {
      const file = join(workFolder, 'home', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    const run = (some: readonly string[]) =>
      commands.runClient(join(folder, 'node_modules/.bin', host.bin), some, {
        folder: workFolder,
        ...(settings && { settings }),
        ...(seconds !== undefined && { seconds }),
      });
    const added = add && (await run(add));
    const { code, stdout, stderr } = added === undefined || added.code === 0 ? await run(args) : added;
    const isDone = code === 0 && stdout.includes(CLOSING);
    return {
      model,
      problems: [
        ...(isDone ? [] : [`exit code ${code ?? 'none'}: ${`${stdout} ${stderr}`.trim().slice(-300)}`]),
        ...(model.unknown.length === 0 ? [] : [`asked the model for ${listOf(model.unknown)}`]),
      ],
    };
  } finally {
    model.close();
  }
}

/** Keys of `_meta` that the specification reserves. */
const isOwnKey = (key: string): boolean => !key.startsWith('io.modelcontextprotocol/');

/** What a host makes of the arguments of its model. */
function changesOf(script: Script, calls: readonly CallParams[]): readonly string[] {
  const added = calls.flatMap(({ _meta = {} }) => Object.keys(_meta).filter(isOwnKey));
  const changed = script.calls
    .map(({ tool, args }) => ({ tool, args, sent: calls.find(({ name }) => name === tool)?.arguments }))
    .filter(({ args, sent }) => JSON.stringify(sent) !== JSON.stringify(args));
  return [
    ...(added.length > 0 ? [`adds ${listOf(added)} to \`_meta\``] : []),
    ...changed.map(({ tool, sent = {} }) => `sends \`${JSON.stringify(sent)}\` to ${tool}`),
  ];
}

const namesIn = ({ requests }: ScriptedModel): string =>
  listOf(requests.map((request) => shownName(request, 'read_feed')).filter((name) => name !== undefined));

async function rowOf(host: Host, context: ClientContext, endpoint: Endpoint): Promise<Row> {
  const message = `${host.name} was here over ${endpoint.transport}.`;
  const script = readAndPost(message);
  const { model, problems } = await runHost(host, context, endpoint, script);
  const { requests } = model;
  const revision = await endpoint.revision();
  const isListed = TOOLS.every((tool) => requests.some((request) => shownName(request, tool) !== undefined));
  const hasRead = requests.some(({ results }) => results.some(({ json }) => InteropService.isFeed(json)));
  const posts = (await context.service.newestMessages()).filter((text) => text === message);
  const verdict = (isDone: boolean): Verdict => (isDone ? 'passed' : 'FAILED');
  return {
    client: host.package,
    version: context.version,
    transport: endpoint.transport,
    revision,
    connect: verdict(revision !== '-'),
    list: verdict(isListed),
    call: verdict(hasRead && posts.length === 1 && problems.length === 0),
    remark: [
      `shows its model ${namesIn(model)}${requests.some(hasSearched) ? ' after a search for tools' : ''}`,
      ...changesOf(script, await endpoint.calls()),
      ...(hasRead ? [] : ['its model got no message of read_feed']),
      ...(posts.length === 1 ? [] : [`there are ${posts.length} posts`]),
      ...problems,
    ].join('; '),
  };
}

/** The time is what the model sees: from its call until the host sends the result. */
async function waitOnce(
  host: Host,
  context: ClientContext,
  endpoint: Endpoint,
  waitSeconds: number,
  timeout: number,
): Promise<WaitReport> {
  const { model, problems } = await runHost(host, context, endpoint, waitFor(waitSeconds), timeout);
  const end = model.requests.at(-1);
  const start = model.requests.at(-2);
  return {
    response: end?.results.at(-1)?.json ?? '',
    seconds: ((end?.time ?? 0) - (start?.time ?? 0)) / 1000,
    ...(problems.length > 0 && { error: problems.join('; ') }),
  };
}

/** A host that calls tools for the scripted model. */
export const hostClient = (host: Host): InteropClient => ({
  name: host.name,
  packages: [`${host.package}@latest`],
  run: async (context) => {
    const rows: Row[] = [];
    for (const endpoint of await context.service.endpoints()) rows.push(await rowOf(host, context, endpoint));
    return rows;
  },
  waits: async (context) =>
    (await context.service.endpoints()).map((endpoint) =>
      waitRun(host.package, context, endpoint, WAIT_SECONDS, (timeout) =>
        waitOnce(host, context, endpoint, WAIT_SECONDS, timeout),
      ),
    ),
});
