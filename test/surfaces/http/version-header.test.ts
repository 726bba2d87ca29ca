import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { STATELESS_VERSION, PROTOCOL_VERSIONS } from '#mcp/protocol/revisions.ts';
import { assertRpcProblem } from '../../support/http/problem.ts';
import { META_2026 } from '../../support/mcp/listen-stream.ts';
import { setUp } from '../../support/http/test-app.ts';

const { rpc } = await setUp({ after });

/** The headers of a request that the map serves, and of one for Express. */
const PATHS = { 'the map': {}, Express: { Origin: 'http://localhost' } };

const SERVED = [
  '2025-11-25, 2025-11-25',
  '2025-06-18,2025-06-18 , 2025-06-18',
  ['2025-11-25', '2025-11-25'],
  '2025-11-25',
];
const REFUSED = ['2025-11-25, 2025-06-18', ['2025-11-25', '2025-06-18'], '1999-01-01', '2027-01-15'];

for (const [path, headers] of Object.entries(PATHS)) {
  describe(`MCP-Protocol-Version on ${path}`, () => {
    for (const version of SERVED)
      for (const method of ['tools/list', 'ping'])
        it(`${JSON.stringify(version)} of ${method} is served`, async () => {
          const { status, json } = await rpc(method, {}, { ...headers, 'MCP-Protocol-Version': version });
          assert.deepEqual([status, 'result' in json], [200, true]);
        });

    for (const version of REFUSED)
      it(`${JSON.stringify(version)} is 400, and the error lists the served versions`, async () => {
        const response = await rpc('tools/list', {}, { ...headers, 'MCP-Protocol-Version': version });
        assertRpcProblem(response, 400, 'malformed_json', -32600);
        assert.deepEqual(response.json.error.data.supported, PROTOCOL_VERSIONS);
      });

    for (const version of ['2027-01-15', STATELESS_VERSION, '2025-06-18, 2025-11-25', 'draft'])
      it(`initialize negotiates whatever ${version} in the header says`, async () => {
        const params = {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'a test', version: '1' },
        };
        const { status, json } = await rpc('initialize', params, {
          ...headers,
          'MCP-Protocol-Version': version,
        });
        assert.deepEqual([status, json.result?.protocolVersion], [200, '2025-06-18']);
      });

    it(`repeated headers of ${STATELESS_VERSION} are served`, async () => {
      const params = { name: 'get_started', arguments: {}, _meta: META_2026 };
      const { status, json } = await rpc('tools/call', params, {
        ...headers,
        'MCP-Protocol-Version': [STATELESS_VERSION, STATELESS_VERSION],
        'Mcp-Method': 'tools/call, tools/call',
        'Mcp-Name': ['get_started', 'get_started'],
      });
      assert.deepEqual([status, 'result' in json], [200, true]);
    });
  });
}
