import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exhaustive } from '../../test/exhaustive.js';
import type { HookedAgent } from '../src/agents/agent.js';
import { claude } from '../src/agents/claude.js';
import { codex } from '../src/agents/codex.js';
import { copilot } from '../src/agents/copilot.js';
import { gemini } from '../src/agents/gemini.js';
import { kilo, opencode } from '../src/agents/opencode.js';
import { pi } from '../src/agents/pi.js';
import { qwen } from '../src/agents/qwen.js';
import type { RunningAgent } from '../src/runningAgent.js';
import { Stage, startAgent } from '../src/stage.js';

const BEFORE = 'one\ntwo\nthree\n';
const PROPOSED = 'one\nTWO\nthree\n';
const CORRECTED = 'one\nTWO, corrected 文 🦋\nthree\nfour\n';

/** Each agent in a mode in which it writes at once, and the file in its home to which hooks are added. */
const agents: readonly [agent: HookedAgent, flags: readonly string[], file: string, options: object][] = [
  [claude, ['--permission-mode', 'acceptEdits'], '.claude/settings.json', exhaustive],
  [codex, ['--dangerously-bypass-approvals-and-sandbox'], '.codex/hooks.json', exhaustive],
  [copilot, ['--yolo'], '.copilot/hooks/tandem.json', {}],
  [gemini, ['--approval-mode', 'yolo'], '.gemini/settings.json', exhaustive],
  [kilo, [], '.config/kilo/plugin/tandem.js', exhaustive],
  [opencode, [], '.config/opencode/plugin/tandem.js', exhaustive],
  [pi, [], '.pi/agent/extensions/tandem.js', exhaustive],
  [qwen, ['--approval-mode', 'auto-edit'], '.qwen/settings.json', exhaustive],
];

describe.each(agents.map((each) => [each[0].name, ...each] as const))(
  '%s with hooks in its files',
  (_name, agent, flags, file, options) => {
    it(
      'has them and nothing else, holds what it would write at once, and is as before without them [HOK-9]',
      options,
      async () => {
        const stage = await Stage.open();
        const { sandbox, tandem } = stage;
        const commandLine = [...agent.executable, ...agent.connectFlags, ...flags] as const;
        const site = { sandbox, cwd: stage.workspace, modelUrl: 'http://127.0.0.1:9', isIdeModeOn: true };
        const prepare = (): Promise<void> => agent.prepare(site);
        // Others name their model in their files, which are written again when they start.
        await (file.endsWith('settings.json') ? sandbox.once(`prepare ${agent.name}`, prepare) : prepare());
        const before = await snapshot(sandbox.home);
        const chosen = ['--hooks', 'before', '--folder', stage.workspace, '--yes'];
        await tandem.run('hook', 'install', agent.kind, ...chosen);
        const { [file]: _added, ...others } = await snapshot(sandbox.home);
        const { [file]: _before, ...othersBefore } = before;
        expect(others).toEqual(othersBefore);
        await tandem.run('hook', 'remove', agent.kind, '--yes');
        expect(await snapshot(sandbox.home)).toEqual(before);

        await tandem.run('hook', 'install', agent.kind, ...chosen);
        const running =
          agent === codex
            ? await startAsking(stage, commandLine)
            : (await stage.connect(agent, { commandLine })).running;
        for (const [name, text] of [
          ['accepted.txt', undefined],
          ['corrected.txt', CORRECTED],
        ] as const) {
          const path = await stage.put(name, BEFORE);
          await running.propose(agent.replaceText(path, 'two', 'TWO'));
          const review = await tandem.nextReview({ path });
          expect(await stage.read(name)).toBe(BEFORE);
          await tandem.accept(review, text);
          // Qwen Code asks its model to write a corrected text.
          if (agent === qwen && text !== undefined) break;
          await running.waitUntilDone();
          expect(await stage.read(name)).toBe(text ?? PROPOSED);
          await running.terminal.waitUntilQuiet('it shows its prompt again');
        }
      },
    );
  },
);

/** Codex CLI first asks whether it may run new hooks. */
async function startAsking(
  { sandbox, workspace }: Stage,
  commandLine: readonly [string, ...string[]],
): Promise<RunningAgent<HookedAgent>> {
  const asking: HookedAgent = { ...codex, screen: { ready: /Trust all and continue/ } };
  const running = await startAgent(asking, sandbox, workspace, { commandLine });
  await running.terminal.type('2');
  await running.terminal.waitFor(/› 2\. Trust/);
  await running.terminal.press('enter');
  await running.terminal.waitFor(codex.screen.ready);
  return running;
}

/** The contents of all files below a folder. */
async function snapshot(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const read = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isFile() ? await readFile(path) : '';
    return [path.slice(folder.length + 1), createHash('sha256').update(content).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
