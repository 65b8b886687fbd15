import { describe, expect, it } from 'vitest';
import { permissionDenyPatterns } from '../src/claudeIde/permissionDenyPatterns.js';
import { agents } from '../src/index.js';
import { Stage } from './support/stage.js';

const deny = (...rules: unknown[]): string => JSON.stringify({ permissions: { deny: rules } });

describe('files that its settings forbid Claude Code to read', () => {
  it.each([
    ['Read(./.env)', ['/.env']],
    ['Read(secrets/**)', ['secrets/**']],
    ['Read(*.pem)', ['*.pem']],
    [' Read(/build) ', ['/build']],
    ['Read', ['**']],
    ['Read(//etc/passwd)', []],
    ['Read(~/.zshrc)', []],
    ['Edit(a.ts)', []],
    ['Bash(rm:*)', []],
    [17, []],
  ])('is for the rule %s the patterns %j [CLA-94]', (rule, patterns) => {
    expect(permissionDenyPatterns(deny(rule, 'Read(other)'))).toEqual([...patterns, 'other']);
  });

  it.each(['', 'no json', 'null', '[]', '{"permissions":{}}', '{"permissions":{"deny":"Read(a)"}}'])(
    'is nothing for settings that cannot be read: %s [CLA-94]',
    (text) => expect(permissionDenyPatterns(text)).toEqual([]),
  );

  it.each(['.claude/settings.json', '.claude/settings.local.json'])(
    'is hidden by %s [CLA-94]',
    async (name) => {
      const stage = await Stage.create({ files: { [`/workspace/${name}`]: deny('Read(./private/**)') } });
      const verdict = (path: string) => stage.policy.verdict(agents.claude.identity, path);
      expect(await verdict('/workspace/private/a.ts')).toMatchObject({ isShared: false });
      expect(await verdict('/workspace/public/a.ts')).toEqual({ isShared: true });
      await stage.close();
    },
  );
});
