import { eachEndpoint, type ClientContext, type InteropClient, type Row, type Verdict } from '../client.ts';
import { badArgumentsRow } from './bad-arguments.ts';
import { runHost } from './run-host.ts';
import type { Host } from './host.ts';
import { hasSearched, shownName, type ScriptedCall } from '../model/script.ts';
import type { TimedRequest } from '../model/scripted-model.ts';
import type { CallParams } from '../recorded-messages.ts';
import { InteropService, type Endpoint } from '../service.ts';
import { waitRun, type WaitReport } from '../waits.ts';

const WAIT_SECONDS = 240;

const readAndPost = (message: string): readonly ScriptedCall[] => [
  { tool: 'read_feed', args: { limit: 20 } },
  { tool: 'post_message', args: { name: 'Interop', message } },
];

/** Keys of `_meta` that the specification defines. */
const isDefined = (key: string): boolean =>
  key === 'progressToken' || key.startsWith('io.modelcontextprotocol/');

const listOf = (words: readonly string[]): string =>
  [...new Set(words)].map((word) => `\`${word}\``).join(', ');

function toolNames(requests: readonly TimedRequest[]): string {
  const names = requests.map((request) => shownName(request, 'read_feed'));
  const search = requests.some(hasSearched) ? ' once it has searched for tools' : '';
  return `its model sees ${listOf(names.filter((name) => name !== undefined))}${search}`;
}

/** What a host makes of the arguments of its model. */
function changesOf(asked: readonly ScriptedCall[], sent: readonly CallParams[]): readonly string[] {
  const added = sent.flatMap(({ _meta = {} }) => Object.keys(_meta).filter((key) => !isDefined(key)));
  const changed = asked
    .map(({ tool, args }) => ({ tool, args, received: sent.find(({ name }) => name === tool)?.arguments }))
    .filter(({ args, received }) => JSON.stringify(received) !== JSON.stringify(args));
  return [
    ...(added.length > 0 ? [`adds ${listOf(added)} to \`_meta\``] : []),
    ...changed.map(({ tool, received = {} }) => `sends \`${JSON.stringify(received)}\` to ${tool}`),
  ];
}

async function rowOf(host: Host, context: ClientContext, endpoint: Endpoint): Promise<Row> {
  const message = `${host.name} was here over ${endpoint.transport}.`;
  const calls = readAndPost(message);
  const { requests, problems } = await runHost(host, context, endpoint, calls);
  const revision = await endpoint.revision();
  const isListed = context.service.tools.every((tool) =>
    requests.some((request) => shownName(request, tool) !== undefined),
  );
  const hasRead = requests.some(({ results }) => results.some(({ json }) => InteropService.isFeed(json)));
  const posts = (await context.service.newestMessages()).filter((text) => text === message).length;
  const verdict = (isDone: boolean): Verdict => (isDone ? 'passed' : 'FAILED');
  return {
    client: host.package,
    version: context.version,
    transport: endpoint.transport,
    revision,
    connect: verdict(revision !== '-'),
    list: verdict(isListed),
    call: verdict(hasRead && posts === 1 && problems.length === 0),
    remark: [
      toolNames(requests),
      ...changesOf(calls, await endpoint.calls()),
      ...(hasRead ? [] : ['its model got no message of read_feed']),
      ...(posts === 1 ? [] : [`there are ${posts} posts`]),
      ...problems,
    ].join('; '),
  };
}

/** The time is what the model sees: from its call until the host sends the result. */
async function waitOnce(
  host: Host,
  context: ClientContext,
  endpoint: Endpoint,
  timeout: number,
): Promise<WaitReport> {
  const calls = [{ tool: 'wait_for_messages', args: { waitSeconds: WAIT_SECONDS } }];
  const { requests, problems } = await runHost(host, context, endpoint, calls, timeout);
  const [asked, answered] = requests.slice(-2);
  return {
    response: answered?.results.at(-1)?.json ?? '',
    seconds: ((answered?.time ?? 0) - (asked?.time ?? 0)) / 1000,
    ...(problems.length > 0 && { error: problems.join('; ') }),
  };
}

/** A host that calls tools for the scripted model. */
export const hostClient = (host: Host): InteropClient => ({
  name: host.name,
  packages: [`${host.package}@latest`],
  run: (context) => eachEndpoint(context, (endpoint) => rowOf(host, context, endpoint)),
  badArguments: (context) => badArgumentsRow(host, context),
  waits: (context) =>
    eachEndpoint(context, (endpoint) =>
      waitRun(host.package, context, endpoint, WAIT_SECONDS, (timeout) =>
        waitOnce(host, context, endpoint, timeout),
      ),
    ),
});
