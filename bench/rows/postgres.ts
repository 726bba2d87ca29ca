import { startPostgres } from '../../test/support/postgres/server.ts';
import { copyOf, filled } from '../postgres/databases.ts';
import { measureReads } from '../postgres/reading.ts';
import { measureServers } from '../postgres/serving.ts';
import { measureWrites } from '../postgres/writing.ts';
import type { Bench } from '../row.ts';

const FEW = 1000;

/** A store in a PostgreSQL that syncs what it commits, beside the driver alone. */
export const postgres: Bench = {
  name: 'postgres',
  run: async (lab, effort) => {
    const { rounds, large } = effort;
    const { url: server, stop } = await startPostgres();
    try {
      const few = { name: await filled(server, FEW), size: FEW };
      const many = { name: await filled(server, large), size: large };
      const copies = {
        few: await copyOf(server, few.name, 'read_few'),
        many: await copyOf(server, many.name, 'read_many'),
      };
      return [
        ...(await measureReads(lab, rounds, copies, large)),
        ...(await measureWrites(lab, rounds, { server, few, many })),
        ...(await measureServers(lab, effort, await copyOf(server, many.name, 'served'))),
      ];
    } finally {
      await lab.quiet();
      await stop();
    }
  },
};
