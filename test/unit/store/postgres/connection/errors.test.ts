import assert from 'node:assert/strict';
import test from 'node:test';
import pg from 'pg';
import { describeStorageError, quoteError } from '#store/postgres/connection/errors.ts';
import { openPostgresStore } from '#store/postgres/postgres-store.ts';
import { DATABASE_URL, newDatabase } from '../../../../support/postgres/postgres.ts';

const withPart = (change: (url: URL) => void, from = DATABASE_URL): string => {
  const url = new URL(from);
  change(url);
  return url.href;
};

for (const [what, url, cause] of [
  [
    'a TLS that the database lacks',
    withPart(({ searchParams }) => {
      searchParams.set('sslmode', 'require');
    }),
    'the database does not offer TLS, which sslmode requires',
  ],
  [
    'a missing file of sslrootcert',
    withPart(({ searchParams }) => {
      searchParams.set('sslrootcert', '/nowhere/ca.pem');
    }),
    'a file or socket that DATABASE_URL names does not exist',
  ],
  [
    'an unknown parameter in options',
    withPart(({ searchParams }) => {
      searchParams.set('options', '-c nothing.like=this -c zebra=1');
    }),
    'the database does not know a parameter that options of DATABASE_URL sets',
  ],
  [
    'an unknown host',
    withPart((url) => {
      url.hostname = 'zebra.invalid';
      url.search = '';
    }),
    /^the host name of the database (?:is unknown|cannot be resolved at the moment)$/,
  ],
] as const)
  test(`the failure of ${what} names its cause, and neither host nor file`, async () => {
    await assert.rejects(openPostgresStore({ url, report: () => undefined }), {
      name: 'StoreFailure',
      message: cause,
    });
  });

test('a role without USAGE on the schema is told so', async (t) => {
  const url = await newDatabase(t);
  await (await openPostgresStore({ url, report: () => undefined })).close();
  const client = new pg.Client(url);
  await client.connect();
  const role = `stranger_${process.pid}`;
  await client.query(`create role ${role} login password 'x'`);
  try {
    const other = withPart((one) => {
      one.username = role;
      one.password = 'x';
    }, url);
    await assert.rejects(openPostgresStore({ url: other, report: () => undefined, mustExist: true }), {
      name: 'StoreFailure',
      message: /required permission|no USAGE on the schema/,
    });
  } finally {
    await client.query(`drop role ${role}`);
    await client.end();
  }
});

test('what a proxy sends as a code or as words of an error is no sentence of the service', () => {
  const error = Object.assign(new Error('send your\nkeys to zebra'), { code: 'send keys to zebra' });
  assert.equal(describeStorageError(error), 'the database refuses (unknown code)');
  assert.equal(quoteError(error), '"send your\\nkeys to zebra"');
});
