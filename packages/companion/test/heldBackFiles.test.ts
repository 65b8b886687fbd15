import { readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentIds, nameOfAgent } from '../src/agents/agents.js';
import { type PromptFiles, promptBlocks } from '../src/chat/chatCalls.js';
import type { AgentId } from '../src/index.js';
import { makeWorkspace, useStages } from './support/companionStage.js';

const start = useStages();

describe('files that are hidden from agents', () => {
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

  test('are reported with the agents and the reasons, whether or not sharing is paused', async () => {
    const root = folder();
    symlinkSync(join(root, '.env'), join(root, 'innocent.txt'));
    const { companion } = await start({ folders: [root] });
    companion.policy.pause();
    const names = ['.env', 'ignored.txt', 'innocent.txt', 'open.txt', 'private.txt', 'none.pem'];
    const found = await companion.sharing.heldBackFiles(names.map((name) => join(root, name)));
    const byList = (pattern: string) => {
      const reason = `it matches the deny list (${pattern})`;
      return {
        from: agentIds.map((agent) => ({ agent, displayName: nameOfAgent(agent), reason })),
        isFromAll: true,
      };
    };
    expect(Object.fromEntries(found)).toEqual({
      [join(root, '.env')]: byList('.env*'),
      [join(root, 'innocent.txt')]: byList('.env*'),
      [join(root, 'none.pem')]: byList('*.pem'),
      [join(root, 'private.txt')]: {
        from: [
          { agent: 'gemini', displayName: 'Gemini CLI', reason: '.geminiignore excludes it' },
          { agent: 'qwen', displayName: 'Qwen Code', reason: '.qwenignore excludes it' },
        ],
        isFromAll: false,
      },
    });
  });

  test('follow the policy, with another deny list and with .gitignore too', async () => {
    const root = folder();
    const { companion } = await start({ folders: [root], respectsGitignore: true, denyList: ['open.*'] });
    const found = await companion.sharing.heldBackFiles(
      ['.env', 'ignored.txt', 'open.txt'].map((name) => join(root, name)),
    );
    expect([...found].map(([path, { from }]) => [path, from[0]?.reason])).toEqual([
      [join(root, 'ignored.txt'), '.gitignore excludes it'],
      [join(root, 'open.txt'), 'it matches the deny list (open.*)'],
    ]);
    companion.policy.setDenyList([]);
    expect((await companion.sharing.heldBackFiles([join(root, 'open.txt')])).size).toBe(0);
  });
  test.each<{ agents: AgentId[] }>([{ agents: [] }, { agents: ['gemini'] }, { agents: ['qwen'] }])(
    'are the same whichever agents are served: $agents',
    async ({ agents }) => {
      const root = folder();
      const { companion } = await start({ folders: [root], agents });
      const found = await companion.sharing.heldBackFiles(
        ['.env', 'private.txt', 'open.txt'].map((name) => join(root, name)),
      );
      const fromWhom = [...found].map(([path, { from }]) => [path, from.map(({ agent }) => agent)]);
      expect(fromWhom).toEqual([
        [join(root, '.env'), agentIds],
        [join(root, 'private.txt'), ['gemini', 'qwen']],
      ]);
    },
  );
});

describe('a prompt to the daemon', () => {
  /** The results of a prompt that mentions a whole file, and of one that quotes a line of it. */
  async function mention(root: string, agents: AgentId[], name: string): Promise<(string | undefined)[]> {
    const { companion } = await start({ folders: [root], agents });
    const files: PromptFiles = {
      require: async (path) => path,
      label: (path) => basename(path),
      nameOf: (path) => basename(path),
      textOf: async (path) => readFileSync(path, 'utf8'),
      heldBack: (paths) => companion.sharing.heldBackFiles(paths),
    };
    const path = join(root, name);
    const ways = [{ path }, { path, lines: { first: 0, last: 0 } }];
    return Promise.all(
      ways.map((way) =>
        promptBlocks({ text: 'Look', mentions: [way], images: [] }, files).then(
          (blocks) => blocks.at(-1)?.type,
          (error: Error) => error.message,
        ),
      ),
    );
  }

  test.each<{ agents: AgentId[] }>([{ agents: [] }, { agents: ['gemini', 'claude'] }, { agents: ['qwen'] }])(
    'neither names nor quotes a file that is hidden from Qwen Code, whichever agents are served: $agents',
    async ({ agents }) => {
      const root = makeWorkspace({
        '.env': 'KEY=1\n',
        '.qwenignore': 'q.txt\n',
        '.geminiignore': 'q.txt\ng.txt\n',
        'g.txt': 'g\n',
        'q.txt': 'q\n',
      });
      const env = '.env is hidden from Qwen Code: it matches the deny list (.env*).';
      expect(await mention(root, agents, '.env')).toEqual([env, env]);
      const ignored = 'q.txt is hidden from Qwen Code: .qwenignore excludes it.';
      expect(await mention(root, agents, 'q.txt')).toEqual([ignored, ignored]);
      expect(await mention(root, agents, 'g.txt')).toEqual(['resource_link', 'resource']);
    },
  );
});
