import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultHistoryLimits } from '@tandem/companion';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { translatedStrings } from './support/translatedStrings.js';

const host = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): string => readFileSync(join(host, name), 'utf8');
const strings = z.record(z.string(), z.string());

const manifest = z
  .looseObject({
    engines: z.object({ vscode: z.string() }),
    extensionKind: z.array(z.string()),
    activationEvents: z.array(z.string()),
    contributes: z.looseObject({
      commands: z.array(z.object({ command: z.string() })),
      menus: z.record(
        z.string(),
        z.array(z.object({ command: z.string(), when: z.string().optional(), group: z.string().optional() })),
      ),
      keybindings: z.array(z.object({ command: z.string(), key: z.string(), when: z.string() })),
      configurationDefaults: z.record(z.string(), z.unknown()),
      configuration: z.object({
        properties: z.record(z.string(), z.looseObject({ scope: z.string().optional() })),
      }),
    }),
    capabilities: z.looseObject({
      untrustedWorkspaces: z.looseObject({ restrictedConfigurations: z.array(z.string()) }),
    }),
    devDependencies: strings,
  })
  .parse(JSON.parse(read('package.json')));

const sources = readdirSync(join(host, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: read(join('src', name)) }));

describe('the manifest of the VS Code extension', () => {
  it('always lists in the palette only commands that always work', () => {
    const { commands, menus } = manifest.contributes;
    const conditional = new Set(menus.commandPalette?.map(({ command }) => command));
    const always = commands.map(({ command }) => command).filter((command) => !conditional.has(command));
    expect(always).toEqual([
      'tandem.startAgent',
      'tandem.copyConnectCommand',
      'tandem.showStatus',
      'tandem.showLog',
      'tandem.showProtocol',
      'tandem.diagnose',
      'tandem.deleteHistory',
      'tandem.restart',
      'tandem.openSettings',
      'tandem.openWalkthrough',
      'tandem.startDaemon',
      'tandem.connectDaemon',
      'tandem.setDaemonToken',
      'tandem.showDaemonOutput',
    ]);
  });

  it('uses the stable API of the oldest supported VS Code, and no proposed API', () => {
    expect(manifest.enabledApiProposals).toBeUndefined();
    expect(manifest.engines.vscode).toBe(`^${manifest.devDependencies['@types/vscode']}`);
    expect(read('package.json')).not.toContain('vscode.proposed');
    // Other type packages could declare proposed API.
    expect(
      sources.filter(({ text }) => /declare module|vscode\.proposed/.test(text)).map(({ name }) => name),
    ).toEqual([]);
  });

  it('runs where the terminals run', () => {
    expect(manifest.extensionKind).toEqual(['workspace']);
  });

  it('is not activated before the window has started', () => {
    expect(manifest.activationEvents).toEqual(['onStartupFinished', 'onFileSystem:tandem-review']);
  });

  it('uses in menus and keys only commands that it declares', () => {
    const declared = manifest.contributes.commands.map(({ command }) => command);
    const used = [...Object.values(manifest.contributes.menus).flat(), ...manifest.contributes.keybindings];
    expect(used.map(({ command }) => command).filter((command) => !declared.includes(command))).toEqual([]);
  });

  it('has each button of a row also in the menu of the row, which keys open', () => {
    const items = manifest.contributes.menus['view/item/context'] ?? [];
    const named = (isInline: boolean) =>
      items
        .filter(({ group }) => group?.startsWith('inline') === isInline)
        .map(({ command, when }) => `${command} ${when}`);
    expect(named(true)).not.toEqual([]);
    expect(named(false)).toEqual(expect.arrayContaining(named(true)));
  });

  it('changes no diff that is not ours', () => {
    const changed = Object.keys(manifest.contributes.configurationDefaults);
    expect(changed).toEqual(['terminal.integrated.commandsToSkipShell', 'workbench.editorAssociations']);
  });

  it('has keys for the next review in a terminal, where only listed commands have keys', () => {
    const { configurationDefaults: defaults, keybindings } = manifest.contributes;
    const anywhere = keybindings.filter(({ when }) => when === 'tandem.reviewsPending && terminalFocus');
    expect(anywhere.map(({ command }) => command)).toEqual(
      defaults['terminal.integrated.commandsToSkipShell'],
    );
  });

  it('keeps the history as long as the other hosts by default', () => {
    const { 'tandem.history.days': days, 'tandem.history.reviews': entries } =
      manifest.contributes.configuration.properties;
    expect({ days: days?.default, entries: entries?.default }).toEqual(defaultHistoryLimits);
  });

  it('lets no untrusted workspace change what agents see or which programs run', () => {
    const settings = Object.keys(manifest.contributes.configuration.properties);
    expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.toSorted()).toEqual(
      settings.toSorted(),
    );
  });

  it('lets no folder, trusted or not, set a program to run or an address to connect to', () => {
    const { properties } = manifest.contributes.configuration;
    const ofTheMachine = Object.keys(properties).filter((name) => properties[name]?.scope === 'machine');
    expect(ofTheMachine).toEqual([
      'tandem.startCommands',
      'tandem.claudeConfigDir',
      'tandem.daemon.url',
      'tandem.daemon.command',
    ]);
    // Consider each new setting: a string or a list may contain either.
    const others = Object.entries(properties).filter(([name]) => !ofTheMachine.includes(name));
    const free = others.filter(([, { type, enum: choices }]) => type !== 'boolean' && choices === undefined);
    expect(free.map(([name]) => name)).toEqual([
      'tandem.history.days',
      'tandem.history.reviews',
      'tandem.sharing.denyList',
    ]);
  });

  it('shows messages only through the functions that sanitise links and names', () => {
    const speaking = sources.filter(({ text }) => /\.show(Information|Warning|Error)Message\b/.test(text));
    expect(speaking.map(({ name }) => name)).toEqual(['messages.ts']);
    expect(sources.filter(({ text }) => text.includes('MarkdownString')).map(({ name }) => name)).toEqual([]);
  });

  it('has an English text for each translatable key, and no other', () => {
    const texts = strings.parse(JSON.parse(read('package.nls.json')));
    const named = [...read('package.json').matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? '');
    expect(Object.keys(texts).sort()).toEqual([...new Set(named)].sort());
  });

  // `npx vitest run hosts/vscode/test/manifest.test.ts -u` updates the file; `-u` must come last, because it would take
  // the path as its value.
  it('has exactly the displayed strings in the bundle for translators', async () => {
    const shown = [...new Set(sources.flatMap(({ text }) => translatedStrings(text)))].sort();
    const bundle = JSON.stringify(Object.fromEntries(shown.map((text) => [text, text])), undefined, 2);
    await expect(`${bundle}\n`).toMatchFileSnapshot(join(host, 'l10n/bundle.l10n.json'));
  });

  it('references only existing images and pages', () => {
    const named = [...read('package.json').matchAll(/"(media\/[^"]+)"/g)].map(([, file]) => file ?? '');
    const pictures = ['README.md', ...named.filter((file) => file.endsWith('.md'))].flatMap((file) =>
      [...read(file).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, to]) => join(file, '..', to ?? '')),
    );
    expect(pictures).toContain(join('media', 'review.webp'));
    const files = [...named, ...pictures];
    expect(files.filter((file) => !existsSync(join(host, file)))).toEqual([]);
  });
});
