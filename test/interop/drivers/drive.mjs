// Copied with a driver into the folder of the client's installation, so that Node resolves the client's
// packages.
const [target, mode] = process.argv.slice(2);

const reasonOf = (error) =>
  error instanceof Error ? [error.message, error.cause?.message].filter(Boolean).join(': ') : String(error);

/**
 * Runs the steps until one fails, and prints one line of JSON with their results.
 * @param connect takes `{url}` or `{command, args}` and the mode; returns `list` (tool names), `call` (a
 * result) and `close`
 */
export async function drive(connect) {
  const steps = {};
  let client;
  try {
    client = await connect(JSON.parse(target), mode);
    steps.connect = 'passed';
    steps.names = await client.list();
    steps.response = JSON.stringify(await client.call('read_feed'));
    await client.close();
  } catch (error) {
    steps.error = reasonOf(error);
  }
  console.log(JSON.stringify(steps));
  process.exit();
}
