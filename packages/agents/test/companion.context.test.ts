import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defaultTiming } from '../../mcp/src/limits.js';
import type { RunningProtocol } from '../src/index.js';
import { CompanionClient } from './support/companionClient.js';
import { companions } from './support/companions.js';
import { Stage } from './support/stage.js';

const a = '/workspace/a.ts';
const b = '/workspace/b.ts';
const text = 'first\nsecond line\nthird\n';

/** `IdeContext` as Gemini CLI 0.61.0 and Qwen Code 0.24.4 parse it. They disconnect after anything else. */
const cliSchema = z.object({
  workspaceState: z
    .object({
      openFiles: z
        .array(
          z.object({
            path: z.string(),
            timestamp: z.number(),
            isActive: z.boolean().optional(),
            selectedText: z.string().optional(),
            cursor: z.object({ line: z.number(), character: z.number() }).optional(),
          }),
        )
        .optional(),
      isTrusted: z.boolean().optional(),
    })
    .optional(),
});

describe.each(companions)('the context that $name receives', ({ protocol, manner }) => {
  let stage: Stage;
  let running: RunningProtocol;

  beforeEach(async () => {
    stage = await Stage.create({ files: { [a]: text, [b]: 'b\n', '/workspace/.env': 'KEY=1\n' } });
    running = await stage.start(protocol);
  });

  afterEach(() => stage.close());

  /** The content of the next update. Every update must match the CLI's schema exactly. */
  async function nextState(client: CompanionClient) {
    const { params } = await client.next('ide/contextUpdate');
    expect(cliSchema.parse(params)).toEqual(params);
    return params.workspaceState;
  }

  it('sends the current context as soon as the stream opens [GEM-20 GEM-25 GEM-62 QWN-20 QWN-25 QWN-62 QWL-20 QWL-25]', async () => {
    const focusedAt = stage.clock.now();
    stage.editor.user.focus(a);
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    expect(await nextState(client)).toEqual({
      openFiles: [{ path: a, timestamp: focusedAt, isActive: true, cursor: { line: 1, character: 1 } }],
      isTrusted: true,
    });
  });

  it('sends an empty context when nothing is open [GEM-25 QWN-25 QWL-25]', async () => {
    const client = await CompanionClient.connect(running, manner);
    expect(await nextState(client)).toEqual({ openFiles: [], isTrusted: true });
  });

  it('reports that a file was opened, focused and closed [GEM-21 GEM-22 QWN-21 QWN-22 QWL-21 QWL-22]', async () => {
    const client = await CompanionClient.connect(running, manner);
    await nextState(client);
    stage.editor.user.focus(a);
    stage.settle();
    expect((await nextState(client)).openFiles.map((file: { path: string }) => file.path)).toEqual([a]);
    stage.editor.user.focus(b);
    stage.settle();
    expect((await nextState(client)).openFiles.map((file: { path: string }) => file.path)).toEqual([b, a]);
    stage.editor.user.close(b);
    stage.settle();
    expect((await nextState(client)).openFiles).toMatchObject([{ path: a, isActive: true }]);
    // Opened behind the focused file.
    await stage.editor.documents.open(b);
    stage.settle();
    const { openFiles } = await nextState(client);
    expect(openFiles.map((file: { path: string }) => file.path).sort()).toEqual([a, b]);
    expect(openFiles.filter((file: { isActive?: boolean }) => file.isActive)).toMatchObject([{ path: a }]);
  });

  it('sends the cursor 1-based and the selected text [GEM-23 GEM-29 GEM-30 QWN-23 QWN-29 QWN-30 QWL-23 QWL-29 QWL-30]', async () => {
    stage.editor.user.focus(a);
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    await nextState(client);
    stage.editor.user.select(a, { start: { line: 1, character: 2 }, end: { line: 1, character: 9 } });
    stage.settle();
    expect((await nextState(client)).openFiles).toMatchObject([
      { path: a, cursor: { line: 2, character: 10 }, selectedText: 'cond li' },
    ]);
    stage.editor.user.select(a, { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } });
    stage.settle();
    const [file] = (await nextState(client)).openFiles;
    expect(file.cursor).toEqual({ line: 3, character: 1 });
    expect(file).not.toHaveProperty('selectedText');
  });

  it('marks and details only the focused file, and sends the last focus time of each file [GEM-27 GEM-28 GEM-33 QWN-27 QWN-28 QWN-33 QWL-27 QWL-28 QWL-33]', async () => {
    const before = stage.clock.now();
    stage.editor.user.focus(a);
    stage.editor.user.select(a, { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } });
    stage.clock.advance(60_000);
    stage.editor.user.focus(b);
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    expect((await nextState(client)).openFiles).toEqual([
      { path: b, timestamp: before + 60_000, isActive: true, cursor: { line: 1, character: 1 } },
      { path: a, timestamp: before },
    ]);
  });

  it('names files by absolute paths, and only those that exist on disk [GEM-26 GEM-31 QWN-26 QWN-31 QWL-26 QWL-31]', async () => {
    stage.editor.user.focus('Untitled-1', 'not saved');
    stage.editor.user.focus('/workspace/gone.ts', 'deleted meanwhile');
    stage.editor.user.focus(b);
    stage.editor.user.focus(a);
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    const { openFiles } = await nextState(client);
    expect(openFiles.map((file: { path: string }) => file.path)).toEqual([a, b]);
  });

  it('reports whether the workspace is trusted [GEM-32 QWN-32 QWL-32]', async () => {
    const client = await CompanionClient.connect(running, manner);
    await nextState(client);
    stage.editor.user.setTrusted(false);
    stage.settle();
    expect((await nextState(client)).isTrusted).toBe(false);
  });

  it('sends at most ten files and 16 KiB of selected text, whole characters [GEM-34 QWN-34 QWL-34]', async () => {
    for (let count = 0; count < 12; count++) {
      stage.files.write(`/workspace/${count}.ts`, `${'\u{1f600}'.repeat(5000)}\n`);
      stage.editor.user.focus(`/workspace/${count}.ts`);
      stage.clock.advance(1);
    }
    const end = { line: 0, character: 10_000 };
    stage.editor.user.select('/workspace/11.ts', { start: { line: 0, character: 0 }, end });
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    const { openFiles } = await nextState(client);
    expect(openFiles).toHaveLength(10);
    expect(openFiles[0].path).toBe('/workspace/11.ts');
    expect(openFiles[0].selectedText).toBe('\u{1f600}'.repeat(4096));
  });

  it('waits until there is no event for 50 ms, and never longer than 200 ms [GEM-24 QWN-24 QWL-24]', async () => {
    const client = await CompanionClient.connect(running, manner);
    await nextState(client);
    stage.editor.user.focus(a);
    stage.clock.advance(49);
    stage.editor.user.focus(b);
    stage.clock.advance(49);
    expect(stage.feed.current.openFiles).toEqual([]);
    stage.clock.advance(1);
    expect((await nextState(client)).openFiles).toMatchObject([{ path: b }, { path: a }]);
    for (let waited = 0; waited < 200; waited += 25) {
      stage.editor.user.focus(waited % 50 === 0 ? a : b);
      stage.clock.advance(25);
    }
    expect((await nextState(client)).openFiles).toHaveLength(2);
  });

  it('sends nothing if nothing changed [GEM-79 QWN-79]', async () => {
    stage.editor.user.focus(a);
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    await nextState(client);
    stage.editor.user.setTrusted(true);
    stage.editor.user.select(a, { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } });
    stage.settle();
    await client.request('ping');
    stage.files.write(a, 'other text, the same file\n');
    stage.policy.resume();
    stage.editor.user.focus('Untitled-1', 'not on disk');
    stage.editor.user.close('Untitled-1');
    stage.settle();
    await client.request('ping');
    stage.editor.user.setTrusted(false);
    stage.settle();
    expect((await nextState(client)).isTrusted).toBe(false);
    expect(client.notifications).toEqual([]);
  });

  it('continues a session whose stream ended and opens again, and sends the context again [GEM-72 QWN-72]', async () => {
    const patient = await Stage.create({ timing: { streamGraceMs: 10_000 } });
    const client = await CompanionClient.connect(await patient.start(protocol), manner);
    await nextState(client);
    await client.openDiff('/workspace/new.ts', 'x\n');
    client.hangUp();
    await client.openStream();
    expect(await nextState(client)).toEqual({ openFiles: [], isTrusted: true });
    patient.editor.user.accept(await patient.editor.whenShown());
    expect((await client.next('ide/diffAccepted')).params.content).toBe('x\n');
    await patient.close();
  });

  it('keeps a silent stream alive, at least every 30 s [GEM-71 QWN-71]', async () => {
    expect(defaultTiming.keepAliveMs).toBeLessThanOrEqual(30_000);
    const lively = await Stage.create({ timing: { keepAliveMs: 5 } });
    const client = await CompanionClient.connect(await lively.start(protocol), manner);
    await nextState(client);
    await client.until(() => /^:/m.test(client.received));
    await lively.close();
  });

  it('clears the context of the CLI when sharing is paused, and sends it again when it is resumed [GEM-87 QWN-87]', async () => {
    stage.editor.user.focus(a);
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    await nextState(client);
    stage.policy.pause();
    expect(await nextState(client)).toEqual({ openFiles: [], isTrusted: true });
    const late = await CompanionClient.connect(running, manner);
    expect((await nextState(late)).openFiles).toEqual([]);
    stage.policy.resume();
    expect((await nextState(client)).openFiles).toMatchObject([{ path: a }]);
  });

  it("hides files that the agent's ignore file excludes, also from a later session [GEM-88 QWN-88]", async () => {
    const ignoreFile = protocol.identity.ignoreFiles[0]?.name;
    expect(ignoreFile).toBe(`.${protocol.identity.id}ignore`);
    stage.files.write(`/workspace/${ignoreFile}`, 'a.*\n');
    stage.editor.user.focus(b);
    stage.editor.user.focus(a);
    stage.settle();
    const client = await CompanionClient.connect(running, manner);
    expect((await nextState(client)).openFiles).toMatchObject([{ path: b }]);
    stage.files.write(`/workspace/${ignoreFile}`, '*\n');
    const later = await CompanionClient.connect(running, manner);
    expect((await nextState(later)).openFiles).toEqual([]);
  });

  it('sends no update that would disconnect the CLI, and logs an error instead [GEM-69 QWN-69]', async () => {
    const client = await CompanionClient.connect(running, manner);
    await nextState(client);
    stage.clock.setTimeOfDay(-5);
    stage.editor.user.focus(a);
    stage.settle();
    await stage.whenProblem();
    stage.clock.setTimeOfDay(5000);
    stage.editor.user.focus(a);
    stage.settle();
    expect((await nextState(client)).openFiles).toMatchObject([{ timestamp: 5000 }]);
    expect(client.notifications).toEqual([]);
  });
});
