import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClaudeClient } from '../../agents/test/support/claudeClient.js';
import type { FoundCompanion } from '../src/control/index.js';
import { CompanionStage, makeWorkspace } from './support/companionStage.js';
import { openJournal } from './support/crashedJournal.js';
import { noteTexts } from './support/noteTexts.js';

let folder: string;
let journal: string;
let stage: CompanionStage;
let client: FoundCompanion['client'];

beforeEach(async () => {
  folder = makeWorkspace({});
  journal = mkdtempSync(join(tmpdir(), 'journal-'));
  stage = await CompanionStage.create({ folders: [folder], journal: openJournal(journal) });
  client = (await stage.found()).client;
});
afterEach(async () => {
  await stage.companion.stop();
  for (const each of [folder, journal]) rmSync(each, { recursive: true, force: true });
});

describe('the differences that an agent itself restores', () => {
  const dos = '\uFEFFone\r\ntwo\r\n';
  const mixed = 'one\r\ntwo\n';
  const overwritten = 'If the agent overwrites the whole file, its line endings become LF.';

  test.each([
    ['gemini', dos, ['The byte order mark is removed.']],
    ['gemini', mixed, ['Line endings change from mixed to CRLF.']],
    ['qwen', dos, []],
    ['qwen', mixed, ['Line endings change from mixed to CRLF.']],
    ['claude', dos, [overwritten]],
  ] as const)('are not noted for %s', async (agent, file, notes) => {
    const path = join(folder, 'form.txt');
    writeFileSync(path, file);
    const opened = stage.event('review.opened', (event) => event.path === path);
    const connected = agent === 'claude' ? await stage.connect(agent) : await stage.connect(agent);
    if (connected instanceof ClaudeClient) connected.beginOpenDiff(path, 'one\nTWO\n');
    else await connected.openDiff(path, 'one\nTWO\n');
    const { id } = await opened;
    expect(noteTexts(await client.call('review.show', { id }))).toEqual(notes);
  });
});

describe('a proposal that loses text of its file', () => {
  const text = '# 这是一个测试文件，用于检查编码。\n';
  const gbk = iconv.encode(text, 'gbk');

  let files = 0;
  const notesOf = async (agent: 'gemini' | 'qwen', bytes: Buffer, content: string) => {
    const path = join(folder, `${++files}.txt`);
    writeFileSync(path, bytes);
    const opened = stage.event('review.opened', (event) => event.path === path);
    await (await stage.connect(agent)).openDiff(path, content);
    const shown = await client.call('review.show', { id: (await opened).id });
    return { notes: noteTexts(shown), original: shown.original };
  };

  test('is shown with the decoded text and its encoding, and with a warning if the agent replaces that', async () => {
    expect(await notesOf('qwen', gbk, text.replace('一个', '两个'))).toEqual({
      notes: ['The file is encoded in GB18030, and keeps this encoding.'],
      original: text,
    });
    expect((await notesOf('gemini', gbk, text)).notes).toEqual([
      'The file is encoded in GB18030, and the agent writes it as UTF-8.',
      'No lines of this file change.',
    ]);
  });

  test('is shown with a warning if it contains what the agent could not read, or half of a character', async () => {
    expect((await notesOf('gemini', gbk, '# \uFFFD\uFFFD\n')).notes).toContainEqual(
      expect.stringContaining('2 replacement characters (U+FFFD) that the file does not have'),
    );
    expect((await notesOf('qwen', Buffer.from('\uFFFD\n'), 'x\uFFFD\n')).notes).toEqual([]);
    expect((await notesOf('qwen', Buffer.from('x\n'), 'x\ud83e\n')).notes).toContainEqual(
      expect.stringContaining('half of a surrogate pair'),
    );
  });

  test('is shown with a warning if the encoding lacks a character', async () => {
    const latin = Buffer.from('# Grüße, über größere Straßen\n', 'latin1');
    expect((await notesOf('qwen', latin, '# Grüße 🦋\n')).notes).toContain(
      'The encoding of the file, ISO-8859-1, has no “🦋”: the file would lose that.',
    );
  });
});
