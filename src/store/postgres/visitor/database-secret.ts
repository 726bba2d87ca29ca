import type pg from 'pg';
import { StoreFailure } from '#store/port/store.ts';

/**
 * @returns the secret that a migration made, for instances without VISITOR_SECRET
 * @throws StoreFailure if the row is missing; errors of the driver
 */
export async function readDatabaseSecret(pool: pg.Pool): Promise<Buffer> {
  const { rows } = await pool.query<{ secret: string }>('select secret from visitor_secret');
  const [row] = rows;
  if (row === undefined)
    throw new StoreFailure(
      'nothing',
      'the table visitor_secret is empty; run "insert into visitor_secret default values"',
    );
  return Buffer.from(row.secret, 'base64');
}
