import type { Target } from '../service.ts';
import { FAKE_KEY, type Host, mcpAdd, SERVER } from './host.ts';

/** As root it refuses to skip permissions altogether, so the tools of the server are allowed. */
const claudeCode: Host = {
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  bin: 'claude',
  launch: (target, model, prompt) => ({
    add: mcpAdd(target, '--'),
    args: ['--print', prompt, '--allowedTools', `mcp__${SERVER}`],
    settings: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: FAKE_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
};

const GEMINI_SETTINGS = {
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: 'gemini-api-key' } },
};

/** Connects to servers only in a trusted folder. */
const geminiCli: Host = {
  name: 'gemini-cli',
  package: '@google/gemini-cli',
  bin: 'gemini',
  launch: (target, model, prompt) => ({
    files: { '.gemini/settings.json': JSON.stringify(GEMINI_SETTINGS) },
    add: mcpAdd(target),
    args: ['--prompt', prompt, '--yolo', '--model', 'gemini-2.5-pro'],
    settings: {
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: FAKE_KEY,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
  }),
};

/** Without `required` it begins before a slow server has started. A string of JSON is one of TOML. */
const codexServer = (target: Target): string =>
  'url' in target
    ? `url = ${JSON.stringify(target.url)}`
    : `command = ${JSON.stringify(target.command)}\nargs = ${JSON.stringify(target.args)}`;

const codexConfig = (target: Target, model: string): string => `
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
${codexServer(target)}
required = true
`;

const codex: Host = {
  name: 'codex',
  package: '@openai/codex',
  bin: 'codex',
  launch: (target, model, prompt) => ({
    files: { '.codex/config.toml': codexConfig(target, model) },
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    settings: { SCRIPTED_API_KEY: FAKE_KEY },
  }),
};

const copilotCli: Host = {
  name: 'copilot-cli',
  package: '@github/copilot',
  bin: 'copilot',
  launch: (target, model, prompt) => ({
    add: mcpAdd(target, '--'),
    args: ['--prompt', prompt, '--allow-all-tools'],
    settings: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: FAKE_KEY,
      COPILOT_MODEL: 'scripted',
    },
  }),
};

const opencode: Host = {
  name: 'opencode',
  package: 'opencode-ai',
  bin: 'opencode',
  launch: (target, model, prompt) => ({
    files: {
      '.config/opencode/opencode.json': JSON.stringify({
        mcp: {
          [SERVER]:
            'url' in target
              ? { type: 'remote', url: target.url }
              : { type: 'local', command: [target.command, ...target.args] },
        },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: FAKE_KEY },
            models: { scripted: { tool_call: true } },
          },
        },
      }),
    },
    args: ['run', '--auto', '--model', 'scripted/scripted', prompt],
    settings: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  }),
};

const QWEN_SETTINGS = {
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
};

const qwenCode: Host = {
  name: 'qwen-code',
  package: '@qwen-code/qwen-code',
  bin: 'qwen',
  launch: (target, model, prompt) => ({
    files: { '.qwen/settings.json': JSON.stringify(QWEN_SETTINGS) },
    add: mcpAdd(target),
    args: ['--yolo', '--auth-type', 'openai', '--model', 'scripted', prompt],
    settings: { OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: FAKE_KEY },
  }),
};

export const HOSTS: readonly Host[] = [claudeCode, geminiCli, codex, copilotCli, opencode, qwenCode];
