import { porchlightOnDatabase, type BenchContext, type RunningServer } from '../bench-context.ts';
import { interleave, load, type Request } from '../load.ts';
import { formatRate, formatRatio, type Settings, type Row } from '../row.ts';
import { TEXT } from '../result-post.ts';

const READ: Request = { path: '/api/feed' };
const WRITE: Request = {
  path: '/api/feed',
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ message: TEXT }),
  status: 201,
};

/** Measures the server over a database and over a folder. */
export async function measureServers(
  context: BenchContext,
  { rounds, seconds, large }: Settings,
  url: string,
): Promise<Row[]> {
  const folder = await context.servePorchlight(context.copyStore(large));
  const database = await context.serve(porchlightOnDatabase(url));
  const measure = (server: RunningServer, request: Request) => () => load(server, request, seconds);
  // All reads come before the first write, so that both stores are equal.
  const reads = await interleave(rounds, {
    folder: measure(folder, READ),
    database: measure(database, READ),
  });
  const writes = await interleave(rounds, {
    folder: measure(folder, WRITE),
    database: measure(database, WRITE),
  });
  await context.stopAll();
  const row = (path: string, { folder: theirs, database: ours }: typeof reads): Row => ({
    path: `${path} over PostgreSQL, 50 connections, beside a folder`,
    goal: '',
    measured: `${formatRatio(ours!.perSecond, theirs!.perSecond)} (${formatRate(ours!.perSecond)})`,
  });
  return [row('GET /api/feed', reads), row('POST /api/feed', writes)];
}
