import { anthropicDialect } from '../model/anthropicDialect.js';
import { call } from '../model/turn.js';
import { pinned } from '../pinnedPrograms.js';
import type { Agent, LaunchSite } from './agent.js';

const API_KEY = 'sk-ant-api03-fake-key-for-loopback-0000000000';

export const claude: Agent = {
  name: 'Claude Code 2.1.332',
  kind: 'claude',
  dialect: anthropicDialect,
  executable: [pinned.claude],
  withoutRelaunch: {},
  connectFlags: ['--ide'],
  // `auto`, its default mode, approves edits by itself and never opens a diff.
  approvalFlags: ['--permission-mode', 'default'],

  async prepare(site) {
    const folder = site.sandbox.environment().CLAUDE_CONFIG_DIR ?? site.sandbox.home;
    await site.sandbox.write(`${folder}/.claude.json`, JSON.stringify(settings(site)));
  },

  environment({ modelUrl }) {
    return {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: API_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    };
  },

  createFile(path, content) {
    return [call('Write', { file_path: path, content })];
  },

  overwriteFile(path, content) {
    return [call('Read', { file_path: path }), call('Write', { file_path: path, content })];
  },

  replaceText(path, before, after) {
    return [
      call('Read', { file_path: path }),
      call('Edit', { file_path: path, old_string: before, new_string: after, replace_all: false }),
    ];
  },

  screen: {
    ready: /\? for shortcuts|(accept edits|auto mode|bypass permissions) on/,
    approval: /Do you want to (make this edit|create|overwrite)/,
  },
  // It shows only the size of a selection; without a selection it shows the file's name.
  waitForActiveFile: (terminal, name, isActive) =>
    terminal.waitFor(
      (screen) => (/⧉ \d+ lines? selected/.test(screen) || screen.includes(`⧉ In ${name}`)) === isActive,
    ),
  takesEmpty: true,
  acceptKeys: ['enter'],
  rejectKeys: ['escape'],
  reportsEdit: (result) => result.includes('The user modified your proposed changes before accepting them'),
};

/** The state after a first run, so that no dialog covers the prompt. */
function settings({ sandbox, cwd }: LaunchSite): object {
  return {
    numStartups: 5,
    theme: 'dark',
    installMethod: 'native',
    autoUpdates: false,
    hasCompletedOnboarding: true,
    lastOnboardingVersion: '2.1.332',
    hasIdeAutoConnectDialogBeenShown: true,
    customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
    // Trust covers subfolders. Another agent that is just ending may overwrite this file with an older version that
    // lacks the folder.
    projects: Object.fromEntries(
      [sandbox.root, cwd].map((folder) => [
        folder,
        { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
      ]),
    ),
  };
}
