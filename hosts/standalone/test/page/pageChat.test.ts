import { CompanionChat, promptBlocks } from '@tandem/companion/chat';
import { silentLogger } from '@tandem/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { daemonChoice } from '../../src/chat/daemonChoice.js';
import { promptFiles } from '../../src/chat/pageChatCalls.js';
import { WorkspacePaths } from '../../src/page/workspacePaths.js';
import { PageFixture } from '../support/pageFixture.js';

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await PageFixture.start();
});
afterEach(() => fixture.dispose());

function blocks(mentions: readonly { path: string; lines?: { first: number; last: number } }[]) {
  const { companion, editor, workspace } = fixture;
  const paths = new WorkspacePaths(() => [workspace]);
  return promptBlocks(
    { text: 'Look', mentions: [...mentions], images: [] },
    promptFiles({ companion, editor, paths }),
  );
}

describe('a prompt', () => {
  it('names a file and quotes a selection', async () => {
    const path = fixture.write('a b.txt', 'one\r\ntwo\r\nthree\r\n');
    expect(await blocks([{ path }, { path, lines: { first: 1, last: 1 } }])).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'resource_link', uri: expect.stringMatching(/^file:.*\/a%20b\.txt$/), name: 'a b.txt' },
      {
        type: 'resource',
        resource: { uri: expect.stringMatching(/a%20b\.txt#L2-L2$/), text: 'two', mimeType: 'text/plain' },
      },
    ]);
  });

  it('rejects a file that is hidden from agents or outside the workspace', async () => {
    const secret = fixture.write('.env', 'KEY=1\n');
    await expect(blocks([{ path: secret }])).rejects.toThrow('hidden from Qwen Code');
    await expect(blocks([{ path: '/etc/passwd' }])).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('the daemon of the command line', () => {
  it('must run on this machine', async () => {
    await expect(daemonChoice({ daemon: 'http://192.0.2.1:4170' })).rejects.toThrow('is not this machine');
    await expect(daemonChoice({ daemonTokenFile: '/none' })).rejects.toThrow('--daemon');
  });

  it('takes its token from a file', async () => {
    const file = fixture.write('../token', 'secret\n');
    expect(await daemonChoice({ daemon: 'http://127.0.0.1:4170', daemonTokenFile: file })).toEqual({
      url: 'http://127.0.0.1:4170',
      token: 'secret',
    });
  });
});

describe('a daemon of our own', () => {
  it('does not start if there is an obstacle, such as an untrusted folder, and reports the reason', async () => {
    const chat = new CompanionChat({
      folder: fixture.workspace,
      obstacle: () => 'Trust this folder first.',
      logger: silentLogger,
    });
    await expect(chat.start()).rejects.toMatchObject({ kind: 'not_started' });
    expect(chat.setup).toEqual({
      isOwn: false,
      isStarting: false,
      obstacle: 'Trust this folder first.',
    });
    await chat.close();
  });
});
