import type { AnyTool } from '#tool/define-tool.ts';
import { fillIn } from '#tool/route.ts';
import type { Change, RecordKind } from '#workspace/workspace.ts';

export const JSON_TYPE = 'application/json';

export const MAX_URI_CHARACTERS = 200;

interface ResourceDescriptor extends Pick<AnyTool, 'name' | 'title' | 'description'> {
  readonly mimeType: string;
}

/** The resources of the service. Each is a read tool under a URI. */
export class Resources {
  readonly list: readonly (ResourceDescriptor & { uri: string })[];
  readonly templates: readonly (ResourceDescriptor & { uriTemplate: string })[];
  readonly #patterns: readonly { tool: AnyTool; uri: string; pattern: RegExp }[];

  constructor(tools: readonly AnyTool[]) {
    const described = tools.flatMap((tool) => {
      const { resource, name, title, description } = tool;
      return resource === undefined
        ? []
        : [{ tool, uri: resource, descriptor: { name, title, description, mimeType: JSON_TYPE } }];
    });
    this.list = described
      .filter(({ uri }) => !uri.includes('{'))
      .map(({ uri, descriptor }) => ({ uri, ...descriptor }));
    this.templates = described
      .filter(({ uri }) => uri.includes('{'))
      .map(({ uri, descriptor }) => ({ uriTemplate: uri, ...descriptor }));
    this.#patterns = described.map(({ tool, uri }) => ({
      tool,
      uri,
      pattern: new RegExp(`^${uri.replace(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}$`),
    }));
  }

  /** @returns undefined unless the URI matches a resource */
  find(uri: string) {
    if (uri.length > MAX_URI_CHARACTERS) return undefined;
    for (const { tool, pattern } of this.#patterns) {
      const match = pattern.exec(uri);
      if (match === null) continue;
      const parameters = { ...match.groups };
      return { tool, parameters, args: { ...tool.resourceArguments, ...parameters } };
    }
    return undefined;
  }

  changedBy({ kind, id, ancestors }: Change): string[] {
    return this.#patterns
      .filter(({ tool: { changedBy = [] } }) => changedBy.includes(kind))
      .flatMap(({ uri }) => {
        if (!uri.includes('{')) return [uri];
        const ids = [id, ...ancestors].filter((one) => uri.includes(`{${one.replace(/_.*/, '')}Id}`));
        return ids.map((one) => fillIn(uri, () => one));
      });
  }
}

/** The kind of record whose id a parameter of a resource takes: `post` for `postId`. */
export function parameterKind(name: string): RecordKind {
  return name.replace(/Id$/, '') as RecordKind;
}
