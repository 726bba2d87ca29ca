// Copied with a driver into the folder of the client's installation, so that Node resolves the client's
// packages.
const [target, mode, waitSeconds] = process.argv.slice(2);

const reasonOf = (error) =>
  error instanceof Error ? [error.message, error.cause?.message].filter(Boolean).join(': ') : String(error);

async function readFeed(client, steps) {
  steps.names = await client.list();
  steps.response = JSON.stringify(await client.call('read_feed', {}));
}

async function waitForMessages(client, steps) {
  // Some clients call only tools that they have listed.
  await client.list();
  steps.notices = 0;
  const start = performance.now();
  const countNotice = () => {
    steps.notices += 1;
  };
  const args = { waitSeconds: Number(waitSeconds) };
  try {
    steps.response = JSON.stringify(await client.call('wait_for_messages', args, countNotice));
  } finally {
    steps.seconds = (performance.now() - start) / 1000;
  }
}

/**
 * Runs the steps until one fails, and prints one line of JSON with their results.
 * @param connect takes `{url}` or `{command, args}` and the mode; returns `list` (tool names), `call` (a
 * result; takes the name, the arguments and what a notice of progress calls) and `close`
 */
export async function drive(connect) {
  const steps = {};
  try {
    const client = await connect(JSON.parse(target), mode);
    steps.connect = 'passed';
    await (waitSeconds === undefined ? readFeed : waitForMessages)(client, steps);
    await client.close();
  } catch (error) {
    steps.error = reasonOf(error);
  }
  console.log(JSON.stringify(steps));
  process.exit();
}
