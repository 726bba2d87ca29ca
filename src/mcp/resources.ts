import type { AnyTool } from '#tool/define-tool.ts';

export const JSON_TYPE = 'application/json';

/** How a resource is told of. */
interface ResourceDescriptor {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

interface ResourceRead {
  readonly tool: AnyTool;
  readonly args: Record<string, string>;
}

/** The reads of the service as resources: each is a tool under a URI. */
export class Resources {
  readonly list: readonly (ResourceDescriptor & { uri: string })[];
  readonly templates: readonly (ResourceDescriptor & { uriTemplate: string })[];
  readonly #patterns: readonly { tool: AnyTool; pattern: RegExp }[];

  constructor(tools: readonly AnyTool[]) {
    const described = tools.flatMap((tool) => {
      const { resource, name, title, description } = tool;
      return resource === undefined
        ? []
        : [{ tool, uri: resource, told: { name, title, description, mimeType: JSON_TYPE } }];
    });
    this.list = described.filter(({ uri }) => !uri.includes('{')).map(({ uri, told }) => ({ uri, ...told }));
    this.templates = described
      .filter(({ uri }) => uri.includes('{'))
      .map(({ uri, told }) => ({ uriTemplate: uri, ...told }));
    this.#patterns = described.map(({ tool, uri }) => ({
      tool,
      pattern: new RegExp(`^${uri.replace(/\{(\w+)\}/g, '(?<$1>[^/?#]+)')}$`),
    }));
  }

  /** @returns the tool that reads the URI and what to call it with; undefined where no resource has that form. */
  find(uri: string): ResourceRead | undefined {
    for (const { tool, pattern } of this.#patterns) {
      const match = pattern.exec(uri);
      if (match !== null) return { tool, args: { ...match.groups } };
    }
    return undefined;
  }
}
