import { porchlightOver, type Lab, type Served } from '../bench-context.ts';
import { interleave, load, type Request } from '../load.ts';
import { perSecond, ratio, type Effort, type Row } from '../row.ts';
import { TEXT } from '../writers.ts';

const READ: Request = { path: '/api/feed' };
const WRITE: Request = {
  path: '/api/feed',
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ message: TEXT }),
  status: 201,
};

/** The server over a database, beside the same over a folder. */
export async function measureServers(
  lab: Lab,
  { rounds, seconds, large }: Effort,
  url: string,
): Promise<Row[]> {
  const folder = await lab.porchlight(lab.store(large));
  const database = await lab.serve(porchlightOver(url));
  const one = (served: Served, request: Request) => () => load(served, request, seconds);
  // All reads before the first write, for both to read what both were filled with.
  const reads = await interleave(rounds, { folder: one(folder, READ), database: one(database, READ) });
  const writes = await interleave(rounds, { folder: one(folder, WRITE), database: one(database, WRITE) });
  await lab.quiet();
  const row = (path: string, { folder: theirs, database: ours }: typeof reads): Row => ({
    path: `${path} over PostgreSQL, 50 connections, beside a folder`,
    goal: '',
    measured: `${ratio(ours!.perSecond, theirs!.perSecond)} (${perSecond(ours!.perSecond)})`,
  });
  return [row('GET /api/feed', reads), row('POST /api/feed', writes)];
}
