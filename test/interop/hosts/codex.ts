import type { Target } from '../service.ts';
import { FAKE_KEY, SERVER, type Host } from './host.ts';

/** Without `required` it begins before a slow server has started. A string of JSON is one of TOML. */
const serverConfig = (target: Target): string =>
  'url' in target
    ? `url = ${JSON.stringify(target.url)}`
    : `command = ${JSON.stringify(target.command)}\nargs = ${JSON.stringify(target.args)}`;

const config = (target: Target, model: string): string => `
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"

[analytics]
enabled = false

[mcp_servers.${SERVER}]
${serverConfig(target)}
required = true
`;

export const codex: Host = {
  name: 'codex',
  package: '@openai/codex',
  bin: 'codex',
  launch: (target, model, prompt) => ({
    files: { '.codex/config.toml': config(target, model) },
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    settings: { SCRIPTED_API_KEY: FAKE_KEY },
  }),
};
