import { mkdir, readFile, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useAgentGroup } from '../src/agentGroup.js';
import { agents } from '../src/agents/all.js';
import type { Turn } from '../src/model/turn.js';
import { openSandbox, type Stage, serve, startAgent } from '../src/stage.js';

/**
 * Files and folders that editors often damage, compared byte by byte. All are in one workspace, whose name has spaces
 * and non-ASCII letters.
 */
describe.each(agents)('$name edits', (agent) => {
  const group = useAgentGroup(agent, { workspace: 'wörk späce 文' });

  async function accept(edit: readonly Turn[], name: string, content?: string): Promise<string> {
    const { stage, running } = group.current;
    await running.propose(edit);
    const review = await stage.tandem.nextReview({ agent: agent.kind, path: stage.path(name) });
    const extra = content === undefined ? [] : ['--content-file', await contentFile(stage, content)];
    await stage.tandem.run('review', 'accept', review, ...extra);
    expect(await stage.tandem.outcomeOf(review)).toBe('accepted');
    await running.waitUntilDone();
    return stage.read(name);
  }

  it('a file with CRLF line ends', async () => {
    const { stage } = group.current;
    const path = await stage.put('dos.txt', 'one\r\ntwo\r\nthree\r\n');
    const written = await accept(agent.replaceText(path, 'two', 'TWO'), 'dos.txt');
    expect(written).toBe('one\r\nTWO\r\nthree\r\n');
  });

  it('a file with CRLF line ends and a correction typed with LF', async () => {
    const { stage } = group.current;
    const path = await stage.put('dosCorrected.txt', 'one\r\ntwo\r\nthree\r\n');
    const corrected = 'one\nTWO, corrected\nthree\n';
    const written = await accept(agent.replaceText(path, 'two', 'TWO'), 'dosCorrected.txt', corrected);
    expect(written).toBe('one\r\nTWO, corrected\r\nthree\r\n');
  });

  it('a file with a byte order mark and no final newline', async () => {
    const { stage } = group.current;
    const path = await stage.put('bom.txt', '\uFEFFone\ntwo\nthree');
    const written = await accept(agent.replaceText(path, 'two', 'TWO'), 'bom.txt');
    expect(written).toBe('\uFEFFone\nTWO\nthree');
  });

  it('a new file in a new folder', async () => {
    const { stage } = group.current;
    const name = 'new/deeper/created.txt';
    const written = await accept(agent.createFile(stage.path(name), 'hello\nworld'), name);
    expect(written).toBe('hello\nworld');
  });

  it('a path with spaces and letters beyond ASCII', async () => {
    const { stage } = group.current;
    const name = 'ünder score/näme 文 #1.txt';
    const path = await stage.put(name, 'one\ntwo\n');
    const written = await accept(agent.replaceText(path, 'two', 'zwei 🦋'), name);
    expect(written).toBe('one\nzwei 🦋\n');
  });

  it('a workspace that companion and agent reach through a symlink', async () => {
    const sandbox = await openSandbox();
    const folder = `${sandbox.root}/real/workspace`;
    const link = `${sandbox.root}/link`;
    await mkdir(folder, { recursive: true });
    await symlink(folder, link);
    await sandbox.write(`${folder}/a.txt`, 'one\ntwo\n');
    const tandem = await serve(sandbox, link);
    const running = await startAgent(agent, sandbox, link);
    await tandem.waitForEvent('session.connected', { agent: agent.kind });
    await running.propose(agent.replaceText(`${folder}/a.txt`, 'two', 'TWO'));
    const review = await tandem.nextReview({ agent: agent.kind });
    await tandem.run('review', 'accept', review);
    await running.waitUntilDone();
    expect(await readFile(`${folder}/a.txt`, 'utf8')).toBe('one\nTWO\n');
  });
});

function contentFile(stage: Stage, content: string): Promise<string> {
  return stage.sandbox.write(`${stage.sandbox.root}/corrected`, content);
}
