import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { launchChromium, missingChromium } from '../pages/browser/chromium.ts';
import { freePort } from '../support/postgres/process.ts';
import { waitUntil } from '../torture/support/time.ts';
import { eachEndpoint, emptyRow, type ClientContext, type InteropClient, type Row } from './client.ts';
import { InteropService, type Endpoint } from './service.ts';

const PACKAGE = '@modelcontextprotocol/inspector';
const TITLE = `${PACKAGE} --web, in Chromium`;

/** Of the whole run in the browser. */
const TIMEOUT_SECONDS = 80;
const STEP_TIMEOUT_MS = 20_000;

type Steps = Pick<Row, 'connect' | 'list' | 'call'>;

/** Clicks as a person does: connect, the list of tools, read_feed. @param address of the user interface */
async function usePage(address: string, service: InteropService): Promise<Steps> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    await waitUntil(STEP_TIMEOUT_MS / 1000, async () => (await page.goto(address))?.ok() === true);
    await page.getByRole('switch').first().click({ force: true });
    await page.getByText('Tools', { exact: true }).first().click();
    await page.getByText(`Tools (${service.tools.length})`).waitFor();
    const names = await page.getByText(/^[a-z]+_[a-z_]+$/).allTextContents();
    await page.getByText('read_feed', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Execute Tool' }).click();
    const hasRead = await waitUntil(STEP_TIMEOUT_MS / 1000, async () =>
      InteropService.isFeed(await page.locator('body').innerText()),
    );
    return {
      connect: 'passed',
      list: service.areTools([...new Set(names)]) ? 'passed' : 'FAILED',
      call: hasRead ? 'passed' : 'FAILED',
    };
  } finally {
    await browser.close();
  }
}

async function rowOf(context: ClientContext, endpoint: Endpoint): Promise<Row> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const token = randomUUID();
  const { target } = endpoint;
  const stop = new AbortController();
  const running = context.commands.runClient(
    join(context.folder, 'node_modules/.bin/mcp-inspector'),
    [
      '--web',
      ...('url' in target
        ? ['--server-url', target.url, '--transport', 'http']
        : ['--', target.command, ...target.args]),
    ],
    {
      folder: context.folder,
      seconds: TIMEOUT_SECONDS,
      signal: stop.signal,
      settings: {
        CLIENT_PORT: String(port),
        MCP_SANDBOX_PORT: String(sandboxPort),
        MCP_INSPECTOR_API_TOKEN: token,
        MCP_AUTO_OPEN_ENABLED: 'false',
        MCP_INSPECTOR_SECRET_STORE: 'memory',
      },
    },
  );
  let [steps, remark]: [Steps, string] = [{ connect: 'FAILED', list: '-', call: '-' }, ''];
  try {
    steps = await usePage(`http://127.0.0.1:${port}?MCP_INSPECTOR_API_TOKEN=${token}`, context.service);
  } catch (error) {
    remark = String(error);
  } finally {
    stop.abort();
    await running.catch(() => undefined);
  }
  const { version } = context;
  const revision = await endpoint.revision();
  return { client: TITLE, version, transport: endpoint.transport, revision, ...steps, remark };
}

/** The user interface of the Inspector in a real browser. */
export const inspectorWeb: InteropClient = {
  name: 'inspector-web',
  packages: [`${PACKAGE}@latest`],
  run: async (context) => {
    const missing = missingChromium();
    if (missing !== undefined) return [emptyRow(TITLE, 'not run', missing)];
    return eachEndpoint(context, (endpoint) => rowOf(context, endpoint));
  },
};
