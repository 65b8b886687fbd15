import { pickList, pickText } from '../json.js';
import { responsesDialect } from '../model/responsesDialect.js';
import type { ScriptedModel } from '../model/scriptedModel.js';
import { pinned } from '../pinnedPrograms.js';
import type { ContextAgent } from './agent.js';

export const codex: ContextAgent = {
  name: 'Codex CLI 0.171.0',
  kind: 'codex',
  dialect: responsesDialect,
  executable: [pinned.codex],
  withoutRelaunch: {},
  connectFlags: [],
  connectCommand: '/ide',
  approvalFlags: [],

  async prepare({ sandbox, cwd, modelUrl }) {
    const settings = `
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."${sandbox.root}"]
trust_level = "trusted"
[projects."${cwd}"]
trust_level = "trusted"
`;
    await sandbox.write(`${sandbox.home}/.codex/config.toml`, settings);
  },

  environment: () => ({ SCRIPTED_KEY: 'fake' }),
  screen: { ready: /\? for shortcuts/ },
  // It shows only that it asks before each prompt.
  waitForActiveFile: (terminal) => terminal.waitFor(/IDE context +·|IDE context$/m),
};

/** What the model of Codex CLI received as the last prompt, context included. */
export function lastPrompt(model: ScriptedModel): string {
  const message = pickList(model.conversation.at(-1)?.body, 'input').at(-1);
  return pickList(message, 'content')
    .map((part) => pickText(part, 'text'))
    .join('\n');
}
