// Copied beside a driver into the folder where its client is installed, so that the client's own packages are found.
const [target, mode] = process.argv.slice(2);

const reasonOf = (error) =>
  error instanceof Error ? [error.message, error.cause?.message].filter(Boolean).join(': ') : String(error);

/**
 * Tells in one line of JSON what came of each step; a step after one that failed is not taken.
 * @param connect takes `{url}` or `{command, args}` and the mode, and gives `list` (names), `call` (an answer) and `close`
 */
export async function drive(connect) {
  const steps = {};
  let client;
  try {
    client = await connect(JSON.parse(target), mode);
    steps.connect = 'passed';
    steps.names = await client.list();
    steps.answer = JSON.stringify(await client.call('read_feed'));
    await client.close();
  } catch (error) {
    steps.error = reasonOf(error);
  }
  console.log(JSON.stringify(steps));
  process.exit();
}
