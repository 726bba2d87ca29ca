import { startPostgres } from '../../test/support/postgres/server.ts';
import { copyDatabase, createSeeded } from '../postgres/databases.ts';
import { measureReads } from '../postgres/reading.ts';
import { measureServers } from '../postgres/serving.ts';
import { measureWrites } from '../postgres/writing.ts';
import type { Bench } from '../row.ts';

const SMALL_STORE = 1000;

/** A store in PostgreSQL with synchronous commits, compared with the driver alone. */
export const postgres: Bench = {
  name: 'postgres',
  run: async (context, settings) => {
    const { rounds, large } = settings;
    const { url: server, stop } = await startPostgres();
    try {
      const few = { name: await createSeeded(server, SMALL_STORE), size: SMALL_STORE };
      const many = { name: await createSeeded(server, large), size: large };
      const copies = {
        few: await copyDatabase(server, few.name, 'read_few'),
        many: await copyDatabase(server, many.name, 'read_many'),
      };
      return [
        ...(await measureReads(context, rounds, copies, large)),
        ...(await measureWrites(context, rounds, { server, few, many })),
        ...(await measureServers(context, settings, await copyDatabase(server, many.name, 'served'))),
      ];
    } finally {
      await context.stopAll();
      await stop();
    }
  },
};
