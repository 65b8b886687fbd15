import { pickList, pickText } from '../json.js';
import { responsesDialect } from '../model/responsesDialect.js';
import type { ScriptedModel } from '../model/scriptedModel.js';
import { call, type Turn } from '../model/turn.js';
import { pinned } from '../pinnedPrograms.js';
import type { Agent } from './agent.js';

export const codex: Agent = {
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
model = "gpt-5.5-scripted"
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
  createFile: (path, content) => [applyPatch(`*** Add File: ${path}`, ...linesOf('+', content))],
  overwriteFile: (path, content) => [applyPatch(`*** Add File: ${path}`, ...linesOf('+', content))],
  replaceText: (path, before, after) => [
    applyPatch(`*** Update File: ${path}`, '@@', ...linesOf('-', before), ...linesOf('+', after)),
  ],

  screen: { ready: /\? for shortcuts/, approval: /Would you like to make the following edits\?/ },
  takesEmpty: true,
  acceptKeys: ['enter'],
  rejectKeys: ['escape'],
  reportsEdit: (result) => result.startsWith('Exit code: 0'),
  // It shows only that it asks before each prompt.
  waitForActiveFile: (terminal) => terminal.waitFor(/IDE context +·|IDE context$/m),
};

/** A call of the tool that edits files, with these lines between the markers of its patch. */
export function applyPatch(...lines: readonly string[]): Turn {
  return call('apply_patch', { text: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n') });
}

/** The lines of a text in a patch. */
function linesOf(sign: '+' | '-', text: string): readonly string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => sign + line);
}

/** What the model of Codex CLI received as the last prompt, context included. */
export function lastPrompt(model: ScriptedModel): string {
  const message = pickList(model.conversation.at(-1)?.body, 'input').at(-1);
  return pickList(message, 'content')
    .map((part) => pickText(part, 'text'))
    .join('\n');
}
