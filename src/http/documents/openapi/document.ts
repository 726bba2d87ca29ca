import type { OpenAPIObject, PathItemObject } from 'openapi3-ts/oas31';
import { AREAS, type AnyTool, AUTHOR_KEY } from '#tool/define-tool.ts';
import { parseRoute } from '#tool/route.ts';
import { BOUNDARIES, INTERFACE_VERSION, PURPOSE, sayExample } from '#workspace/protocol/protocol-content.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { HEADERS, PROBLEM, NamedSchemas } from './components.ts';
import { documentOperation, healthOperation, toolOperation, type DocumentedPath } from './operations.ts';

const KEY =
  'Optional: your author key, as `Bearer plk-…`. It says what is yours. Two different keys are refused.';

export function openApiDocument(
  tools: readonly AnyTool[],
  { service }: HttpWorkspace,
  documents: readonly DocumentedPath[],
): OpenAPIObject {
  const schemas = new NamedSchemas();
  const paths: Record<string, PathItemObject> = {};
  for (const tool of tools) {
    const route = parseRoute(tool);
    (paths[route.path] ??= {})[route.method === 'GET' ? 'get' : 'post'] = toolOperation(tool, route, schemas);
  }
  for (const document of documents) paths[document.path] = { get: documentOperation(document) };
  paths['/healthz'] = { get: healthOperation() };
  return {
    openapi: '3.1.0',
    info: {
      title: service.name,
      version: INTERFACE_VERSION,
      description: sayExample(service, [PURPOSE, ...BOUNDARIES].join('\n\n')),
      contact: { name: service.contact ?? service.name, url: `${service.baseUrl}/` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: service.baseUrl }],
    security: [],
    tags: [
      ...Object.entries(AREAS).map(([name, description]) => ({ name, description })),
      { name: 'documents', description: 'Feeds and machine-readable documents.' },
    ],
    paths,
    components: {
      headers: HEADERS,
      schemas: { ...schemas.byName, Problem: PROBLEM },
      securitySchemes: { [AUTHOR_KEY]: { type: 'http', scheme: 'bearer', description: KEY } },
    },
  };
}
