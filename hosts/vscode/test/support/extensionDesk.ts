import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type * as vscode from 'vscode';
import { CompanionClient, geminiManner } from '../../../../packages/agents/test/support/companionClient.js';
import { openFakeWindow, Uri } from './fakeVscode/index.js';

// The line that scripts/buildExtension.mjs writes at the start of the bundle.
Object.assign(globalThis, { tandemLoadingSince: process.cpuUsage() });

/** The whole extension in a fake window, with a real companion that agents connect to. */
export async function openExtensionDesk(
  options: {
    readonly files?: Readonly<Record<string, string>>;
    readonly hasFolder?: boolean;
    /** The workspace is a folder in an empty one. */
    readonly isBeside?: boolean;
    readonly prepare?: (window: ReturnType<typeof openFakeWindow>) => void;
  } = {},
) {
  process.env.TANDEM_VSCODE_TEST = '1';
  const { activate, deactivate } = await import('../../src/extension.js');
  const window = openFakeWindow();
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'extension-')));
  const folder = options.isBeside ? join(root, 'workspace') : root;
  mkdirSync(folder, { recursive: true });
  const path = (name: string): string => join(folder, name);
  for (const [name, content] of Object.entries(options.files ?? {})) writeFileSync(path(name), content);
  if (options.hasFolder !== false) window.openFolder(folder);
  options.prepare?.(window);
  const variables = new Map<string, { readonly value: string }>();
  const extension = activate(makeContext(variables, path('.journal')));
  onTestFinished(() => deactivate());
  if (extension === undefined) throw new Error('the extension exports nothing');
  await expect.poll(() => extension.companion(), { timeout: 8_000 }).toBeDefined();
  const connect = async (): Promise<CompanionClient> => {
    const connection = extension
      .companion()
      ?.agents.connections()
      .find(({ id }) => id === 'gemini');
    if (connection === undefined) throw new Error('Gemini CLI is not served');
    return CompanionClient.connect(connection, geminiManner);
  };
  const status = (): vscode.StatusBarItem => {
    const item = window.statusItems.find(({ id }) => id === 'tandem.status');
    if (item === undefined) throw new Error('there is no status item');
    return item;
  };
  return { window, extension, folder, path, variables, connect, status };
}

function makeContext(
  variables: Map<string, { readonly value: string }>,
  storage: string,
): vscode.ExtensionContext {
  const environment = Object.assign(variables, {
    persistent: true,
    description: '',
    replace: (name: string, value: string) => variables.set(name, { value }),
    prepend: (name: string, value: string) => variables.set(name, { value }),
  });
  const installed = join(storage, 'installed');
  mkdirSync(join(installed, 'dist'), { recursive: true });
  for (const name of ['hook.mjs', 'openCodePlugin.mjs', 'piPlugin.mjs'])
    writeFileSync(join(installed, 'dist', name), '');
  return {
    extension: { id: 'tandem.tandem-vscode', packageJSON: { version: '9.8.7' } },
    storageUri: Uri.file(storage),
    globalState: makeMemento(),
    workspaceState: makeMemento(),
    environmentVariableCollection: environment,
    asAbsolutePath: (name: string) => join(installed, name),
  } as unknown as vscode.ExtensionContext;
}

function makeMemento() {
  const values = new Map<string, unknown>();
  return {
    get: (name: string, otherwise?: unknown) => values.get(name) ?? otherwise,
    update: async (name: string, value: unknown) => void values.set(name, value),
  };
}
