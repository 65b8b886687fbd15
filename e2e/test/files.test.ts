import { mkdir, readFile, symlink } from 'node:fs/promises';
import { writingOf } from '@tandem/companion/agents';
import { describeWritten, writtenText } from '@tandem/reviews';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { describeMatrix } from '../../test/describeMatrix.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { agents } from '../src/agents/all.js';
import { gemini } from '../src/agents/gemini.js';
import type { Turn } from '../src/model/turn.js';
import { openSandbox, serve, startAgent } from '../src/stage.js';

const reviewDetails = z.object({ proposed: z.string(), notes: z.array(z.object({ text: z.string() })) });

/**
 * Files and folders that editors often damage, compared byte by byte. All are in one workspace, whose name has spaces
 * and non-ASCII letters.
 */
describeMatrix(agents, [gemini], '$name edits', (agent) => {
  const group = useAgentGroup(agent, { workspace: 'wörk späce 文' });

  async function accept(edit: readonly Turn[], name: string, content?: string): Promise<string> {
    const { stage, running } = group.current;
    await running.propose(edit);
    const review = await stage.tandem.nextReview({ agent: agent.kind, path: stage.path(name) });
    await stage.tandem.accept(review, content);
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

  it.each([
    ['mostly CRLF', 'one\r\ntwo\nthree\r\n'],
    ['mostly LF', 'one\ntwo\r\nthree\n'],
    ['a byte order mark and CRLF', '\uFEFFone\r\ntwo\r\nthree\r\n'],
    ['CR', 'one\rtwo\rthree\r'],
  ])('a file with %s, with the line ends and byte order mark that its review notes', async (_form, text) => {
    const { stage, running } = group.current;
    const original = { kind: 'text', text } as const;
    for (const how of ['edited', 'overwritten'] as const) {
      const name = `${how}-${text.length}-${text.indexOf('\n')}.txt`;
      const path = await stage.put(name, text);
      const edit =
        how === 'edited'
          ? agent.replaceText(path, 'two', 'TWO')
          : agent.overwriteFile(path, 'one\nTWO\nthree\n');
      await running.propose(edit);
      const review = await stage.tandem.nextReview({ agent: agent.kind, path });
      const { proposed } = reviewDetails.parse(
        JSON.parse((await stage.tandem.run('review', 'show', review, '--json')).stdout),
      );
      await stage.tandem.accept(review);
      await running.waitUntilDone();
      const { overwritesLineEnds, ...writing } = writingOf(agent.kind);
      const { lineEnds: _edited, ...asSent } = writing;
      const isAsSent = how === 'overwritten' && overwritesLineEnds === true;
      expect(await stage.read(name)).toBe(writtenText(proposed, original, isAsSent ? asSent : writing));
      const differences = describeWritten(proposed, original, writingOf(agent.kind));
      if (isAsSent && text.includes('\r\n')) {
        expect(differences.overwritten ?? differences.lineEnds?.to).toBe('lf');
      }
    }
  });

  const french = '# Ceci est un fichier de test, très accentué et vérifié.\nx = 1\n';
  it.each([
    [
      'GB18030',
      Buffer.from(
        '2320d5e2cac7d2bbb8f6b2e2cad4cec4bcfea3acd3c3d3dabcecb2e9b1e0c2eba1a30a78203d20310a',
        'hex',
      ),
    ],
    ['ISO-8859-1', Buffer.from(french, 'latin1')],
    ['UTF-16LE', Buffer.from(`\uFEFF${french}`, 'utf16le')],
    ['UTF-16LE without a byte order mark', Buffer.from(french.replace(/[éè]/g, 'e'), 'utf16le')],
  ])('a file in %s, with the encoding that its review notes', async (encoding, bytes) => {
    const { stage, running } = group.current;
    const name = `${encoding.replaceAll(' ', '-')}.txt`;
    const path = await stage.put(name, bytes);
    const content = 'new text\n';
    await running.propose(agent.overwriteFile(path, content));
    const review = await stage.tandem.nextReview({ agent: agent.kind, path });
    const shown = reviewDetails.parse(
      JSON.parse((await stage.tandem.run('review', 'show', review, '--json')).stdout),
    );
    await stage.tandem.accept(review);
    await running.waitUntilDone();
    const written = await readFile(path);
    const inUtf16 = Buffer.from(`\uFEFF${content}`, 'utf16le');
    // Plain text has the same bytes in the other encodings.
    const kept = encoding === 'UTF-16LE' ? inUtf16 : Buffer.from(content);
    const known = `The file is encoded in ${encoding}, and `;
    const ends = [
      'keeps this encoding.',
      'the agent writes it as UTF-8.',
      'the agent does not write such files: accepting changes nothing.',
    ];
    const notes = shown.notes.map((note) => note.text);
    expect(notes.filter((note) => note.startsWith(known))).toHaveLength(1);
    const [isKept, isReplaced, isRefused] = ends.map((end) => notes.includes(known + end));
    if (isKept) expect(written).toEqual(kept);
    if (isReplaced) expect(written).toEqual(Buffer.from(content));
    if (isRefused) expect(written).toEqual(bytes);
    expect([isKept, isReplaced, isRefused].filter(Boolean)).toHaveLength(1);
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
    await tandem.accept(review);
    await running.waitUntilDone();
    expect(await readFile(`${folder}/a.txt`, 'utf8')).toBe('one\nTWO\n');
  });
});
