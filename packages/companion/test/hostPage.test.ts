import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { companionStatus } from '../src/control/index.js';
import type { HostPage } from '../src/index.js';
import { makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

describe('the page of a host', () => {
  test('is told to the command with its token, and in the status without', async () => {
    let isOpen = false;
    const page: HostPage = {
      address: () => 'http://127.0.0.1:5/#token=secret',
      addressForOpening: () => 'http://127.0.0.1:5/open/once',
      problem: () => undefined,
      isOpen: () => isOpen,
    };
    const stage = await start({ page });
    const { client } = await stage.found();
    expect(await client.call('page', {})).toEqual({
      url: 'http://127.0.0.1:5/#token=secret',
      openingUrl: 'http://127.0.0.1:5/open/once',
    });
    const status = await client.call('status', {});
    expect(companionStatus.parse(status).page).toEqual({ url: 'http://127.0.0.1:5/' });
    expect(JSON.stringify(status)).not.toContain('secret');
    expect(stage.companion.isNeeded).toBe(false);
    isOpen = true;
    expect(stage.companion.isNeeded).toBe(true);
    expect(stage.log.join()).not.toContain('secret');
  });

  test('that is not served says why, and a host without one says so', async () => {
    const page: HostPage = {
      address: () => undefined,
      addressForOpening: () => undefined,
      problem: () => 'The page was not built.',
      isOpen: () => false,
    };
    const [unbuilt, without] = [await start({ page }), await start()];
    expect(companionStatus.parse(await unbuilt.companion.status()).page).toBeUndefined();
    const calls = [unbuilt, without].map(async (stage) => (await stage.found()).client.call('page', {}));
    const answers = await Promise.allSettled(calls);
    expect(answers).toMatchObject([
      { reason: { code: 'refused', message: 'The page was not built.' } },
      { reason: { code: 'refused', message: expect.stringContaining('has no page') } },
    ]);
  });
});

test('the status says which agents take mentions, and that of an earlier companion is understood', async () => {
  const { companion } = await start();
  const status = await companion.status();
  expect(status.agents.map(({ id, takesMentions }) => [id, takesMentions])).toEqual([
    ['gemini', false],
    ['qwen', false],
    ['claude', true],
  ]);
  const earlier = { ...status, agents: status.agents.map(({ takesMentions: _new, ...agent }) => agent) };
  expect(companionStatus.parse(earlier).agents[2]?.takesMentions).toBe(false);
});

describe('files that are held back', () => {
  const folder = () =>
    makeWorkspace({
      '.env': '',
      '.gitignore': 'ignored.txt\n',
      '.geminiignore': 'private.txt\n',
      '.qwenignore': 'private.txt\n',
      'ignored.txt': '',
      'open.txt': '',
      'private.txt': '',
    });

  test('are told with whom they are held back from and why, whether or not sharing is paused', async () => {
    const root = folder();
    symlinkSync(join(root, '.env'), join(root, 'innocent.txt'));
    const { companion } = await start({ folders: [root] });
    companion.policy.pause();
    const names = ['.env', 'ignored.txt', 'innocent.txt', 'open.txt', 'private.txt', 'none.pem'];
    const found = await companion.heldBackFiles(names.map((name) => join(root, name)));
    const everybody = ['Gemini CLI', 'Qwen Code', 'Claude Code'];
    const byList = (pattern: string) => ({
      agents: everybody,
      isFromAll: true,
      reason: `the deny list holds it back (${pattern})`,
    });
    expect(Object.fromEntries(found)).toEqual({
      [join(root, '.env')]: byList('.env*'),
      [join(root, 'innocent.txt')]: byList('.env*'),
      [join(root, 'none.pem')]: byList('*.pem'),
      [join(root, 'private.txt')]: {
        agents: ['Gemini CLI', 'Qwen Code'],
        isFromAll: false,
        reason: '.geminiignore names it',
      },
    });
  });

  test('are those that the policy holds back, with another deny list and with .gitignore too', async () => {
    const root = folder();
    const { companion } = await start({ folders: [root], respectsGitignore: true, denyList: ['open.*'] });
    const found = await companion.heldBackFiles(
      ['.env', 'ignored.txt', 'open.txt'].map((name) => join(root, name)),
    );
    expect([...found].map(([path, { reason }]) => [path, reason])).toEqual([
      [join(root, 'ignored.txt'), '.gitignore names it'],
      [join(root, 'open.txt'), 'the deny list holds it back (open.*)'],
    ]);
    companion.policy.setDenyList([]);
    expect((await companion.heldBackFiles([join(root, 'open.txt')])).size).toBe(0);
  });
});
