import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Path } from '@tandem/core';
import { afterEach, describe, expect, it } from 'vitest';
import { firstNotificationDelayMs } from '../src/claude/session.js';
import { agents } from '../src/index.js';
import { ClaudeClient } from './support/claudeClient.js';
import { CodexClient } from './support/codexClient.js';
import { CompanionClient, geminiManner, qwenManner } from './support/companionClient.js';
import { CopilotClient } from './support/copilotClient.js';
import { connectOpencode } from './support/opencodeClient.js';
import { Stage } from './support/stage.js';

const open = '/workspace/open.ts';
const whole = { start: { line: 0, character: 0 }, end: { line: 0, character: 100 } };

/** Each has a unique name and a unique text. */
const secrets: readonly { readonly path: Path; readonly text: string; readonly mark: string }[] = [
  { path: '/workspace/.env.zebra', text: 'ZEBRATEXT=1', mark: 'zebra' },
  { path: '/workspace/keys/walrus.pem', text: 'WALRUSTEXT', mark: 'walrus' },
  { path: '/workspace/credentials-lynx.json', text: '{"lynxtext":1}', mark: 'lynx' },
  { path: '/workspace/ignored-otter.ts', text: 'ottertext', mark: 'otter' },
  { path: '/workspace/link-heron.ts', text: '', mark: 'heron' },
];

describe('files that are hidden from agents', () => {
  let stage: Stage;
  let codex: CodexClient;

  afterEach(async () => {
    codex.close();
    await stage.close();
  });

  async function everythingOpen() {
    const ignored = 'ignored-*\n';
    const settings = JSON.stringify({ permissions: { deny: ['Read(ignored-*)'] } });
    const folder = mkdtempSync(join(tmpdir(), 'h-'));
    stage = await Stage.create({
      files: {
        [open]: 'shared text\n',
        '/workspace/.geminiignore': ignored,
        '/workspace/.qwenignore': ignored,
        '/workspace/.kilocodeignore': ignored,
        '/workspace/.claude/settings.json': settings,
      },
      // The sockets of Codex CLI and Copilot CLI are real files.
      machine: { home: folder, tmpdir: folder },
    });
    for (const { path, text, mark } of secrets) {
      if (mark === 'heron') stage.files.link(path, '/workspace/keys/walrus.pem');
      else stage.files.write(path, text);
    }
    const [gemini, qwen, claude, copilot, guest] = [
      await stage.start(agents.gemini),
      await stage.start(agents.qwen),
      await stage.start(agents.claude),
      await stage.start(agents.copilot),
      await stage.start(agents.opencode),
    ];
    codex = await CodexClient.connect((await stage.start(agents.codex)).url);
    const clients = {
      gemini: await CompanionClient.connect(gemini, geminiManner),
      qwen: await CompanionClient.connect(qwen, qwenManner),
      claude: await ClaudeClient.connect(claude),
      copilot: await CopilotClient.connect(copilot),
      opencode: await connectOpencode(claude),
    };
    await stage.clock.whenSet(firstNotificationDelayMs);
    stage.clock.advance(firstNotificationDelayMs);
    return { ...clients, running: claude, guest, mention: (path: Path) => copilot.mention?.(path) };
  }

  it('are neither named nor quoted in a message of any protocol [GEM-89 QWN-89 CLA-84 COP-19 CDX-27 OPC-13]', async () => {
    const { gemini, qwen, claude, copilot, opencode, running, guest, mention } = await everythingOpen();
    const { user } = stage.editor;
    for (const { path, mark } of secrets) {
      user.focus(open);
      user.focus(path);
      user.select(path, whole);
      stage.settle();
      user.setDiagnostics(path, [{ message: `${mark} is wrong`, severity: 'error', range: whole }]);
      for (const each of [running, guest]) expect(await each.mention?.(path)).toBe(0);
      const uri = `file://${path}`;
      // Copilot CLI has no ignore file of its own.
      if (mark !== 'otter') {
        expect(await mention(path)).toBe(0);
        await copilot.call('get_selection');
        await copilot.call('get_diagnostics');
        await copilot.call('get_diagnostics', { uri });
      }
      await claude.call('getDiagnostics', { uri });
      await claude.call('getDiagnostics', { uri: null });
      await claude.call('getDiagnostics', {});
      await claude.call('openFile', { filePath: path, startText: mark });
      await claude.call('open_files', { file_paths: [path, open] });
      await claude.call('reformat_file', { file_path: path });
      await claude.call('checkDocumentDirty', { filePath: path });
      await claude.call('saveDocument', { filePath: path });
      for (const tool of [
        'get_all_opened_file_paths',
        'getOpenEditors',
        'getCurrentSelection',
        'getLatestSelection',
      ]) {
        expect((await claude.call(tool)).result.isError).toBeUndefined();
      }
      await claude.call('close_tab', { tab_name: path });
      await codex.ask('/workspace');
      expect(stage.editor.documents.state(path)).toBeDefined();
    }
    user.focus(open);
    user.select(open, { start: whole.start, end: { line: 0, character: 6 } });
    stage.settle();
    // A later message: the messages of one session keep their order.
    for (const client of [gemini, qwen]) {
      for (;;) {
        const { params } = await client.next('ide/contextUpdate');
        if (params.workspaceState.openFiles[0]?.selectedText === 'shared') break;
      }
    }
    for (const client of [claude, opencode]) {
      while ((await client.next('selection_changed')).params.text !== 'shared');
    }
    user.setDiagnostics(open, []);
    while ((await claude.next('diagnostics_changed')).params.uri !== `file://${open}`);
    await codex.ask('/workspace');
    expect(codex.received).toContain('open.ts');
    // No file of a project lists what Codex CLI may not read.
    for (const { mark } of secrets) {
      if (mark !== 'otter') expect(codex.received.toLowerCase()).not.toContain(mark);
    }
    while ((await copilot.next('selection_changed')).params.text !== 'shared');
    for (const client of [gemini, qwen, claude, copilot, opencode]) {
      expect(client.received).toContain('open.ts');
      const held = secrets.filter(({ mark }) => client !== copilot || mark !== 'otter');
      for (const { mark } of held) expect(client.received.toLowerCase()).not.toContain(mark);
    }
  });

  it('are all files while sharing is paused [GEM-87 QWN-87 CLA-84 COP-19 CDX-27 OPC-13]', async () => {
    const { gemini, qwen, claude, copilot, opencode, running, guest, mention } = await everythingOpen();
    stage.policy.pause();
    while ((await opencode.next('selection_changed')).params.filePath !== '');
    for (const client of [gemini, qwen, claude, copilot, opencode]) client.received = '';
    stage.editor.user.focus(open);
    stage.editor.user.select(open, whole);
    stage.settle();
    stage.editor.user.setDiagnostics(open, []);
    expect((await codex.ask('/workspace')).result.ideContext).toEqual({ activeFile: null, openTabs: [] });
    for (const each of [running, guest]) expect(await each.mention?.(open)).toBe(0);
    expect(await mention(open)).toBe(0);
    await copilot.call('get_selection');
    await copilot.call('get_diagnostics');
    await claude.call('getDiagnostics', { uri: `file://${open}` });
    await claude.call('getDiagnostics', {});
    for (const tool of [
      'get_all_opened_file_paths',
      'getOpenEditors',
      'getCurrentSelection',
      'getLatestSelection',
    ]) {
      await claude.call(tool);
    }
    stage.editor.user.setTrusted(false);
    stage.settle();
    for (const client of [gemini, qwen]) {
      while ((await client.next('ide/contextUpdate')).params.workspaceState.isTrusted);
    }
    for (const client of [gemini, qwen, claude, copilot, opencode])
      expect(client.received).not.toContain('open.ts');
  });

  it('can still be proposed changes to: the agent names them itself [GEM-89 QWN-89 CLA-84]', async () => {
    const { gemini, claude } = await everythingOpen();
    const path = '/workspace/.env.zebra';
    expect((await gemini.openDiff(path, 'A=1\n')).result).toEqual({ content: [] });
    (await stage.editor.whenShown()).accept();
    expect((await gemini.next('ide/diffAccepted')).params).toEqual({ filePath: path, content: 'A=1\n' });
    const call = claude.beginOpenDiff(path, 'B=1\n');
    (await stage.editor.whenShown((review) => review.proposal.agent === 'claude')).reject();
    expect((await claude.answer(call)).result.content[0].text).toBe('DIFF_REJECTED');
  });
});

describe('three agents at once', () => {
  it('each receive only their own answer and decision for the same path [GEM-78 QWN-78 CLA-85]', async () => {
    const stage = await Stage.create({ files: { [open]: 'x\n' } });
    const gemini = await CompanionClient.connect(await stage.start(agents.gemini), geminiManner);
    const qwen = await CompanionClient.connect(await stage.start(agents.qwen), qwenManner);
    const claude = await ClaudeClient.connect(await stage.start(agents.claude));
    await gemini.openDiff(open, 'gemini\n');
    await qwen.openDiff(open, 'qwen\n');
    const call = claude.beginOpenDiff(open, 'claude\n');
    await stage.editor.whenShown((review) => review.proposal.agent === 'claude');
    for (const review of [...stage.editor.user.reviewsInView()].reverse()) {
      if (review.proposal.agent === 'qwen') review.reject();
      else review.accept();
    }
    expect((await claude.answer(call)).result.content[1].text).toBe('claude\n');
    expect((await qwen.next('ide/diffRejected')).params).toEqual({ filePath: open });
    expect((await gemini.next('ide/diffAccepted')).params).toEqual({ filePath: open, content: 'gemini\n' });
    await stage.close();
  });
});
