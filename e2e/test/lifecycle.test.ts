import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { agents } from '../src/agents/all.js';
import { gemini } from '../src/agents/gemini.js';
import { pick } from '../src/json.js';
import { openSandbox, serve, startAgent } from '../src/stage.js';
import { tandem } from '../src/tandem.js';

/** Much longer than a stop takes, and much shorter than any stream timeout. */
const STOP_LIMIT = 3_000;

/** How an agent and a companion connect and disconnect. */
describeMatrix(agents, [gemini], '$name', (agent) => {
  describe('with moved configuration folders', () => {
    const group = useAgentGroup(agent, { folderVariables: ['CLAUDE_CONFIG_DIR', 'QWEN_HOME'] });

    it('finds a companion through them', () => {
      // The group's agent is connected, so it found its companion through these files.
      for (const file of group.current.stage.tandem.endpoint(agent.kind).discovery) {
        expect(existsSync(file), file).toBe(true);
      }
    });

    it('does not keep a companion from stopping, which leaves nothing behind', async () => {
      const { tandem: server } = group.current.stage;
      const files = Object.keys(Object(pick(server.events[0], 'agents'))).flatMap(
        (kind) => server.endpoint(kind).discovery,
      );
      expect(files.filter((file) => existsSync(file))).toEqual(files);
      const started = performance.now();
      await server.stop();
      expect(performance.now() - started).toBeLessThan(STOP_LIMIT);
      expect(files.filter((file) => existsSync(file))).toEqual([]);
      await group.discard();
    });
  });

  it('finds the one of two companions that its terminal belongs to', async () => {
    const sandbox = await openSandbox();
    const workspace = await sandbox.folder('workspace');
    for (const isFirst of [true, false]) {
      const first = await serve(sandbox, workspace);
      const second = await serve(sandbox, workspace);
      const meant = isFirst ? first : second;
      const pid = String(meant.events[0]?.pid);
      const { json } = await tandem(sandbox, workspace, ['--companion', pid, 'env', '--shell', 'json']);
      const running = await startAgent(agent, sandbox, workspace, { env: environment(json) });
      await meant.waitForEvent('session.connected', { agent: agent.kind });
      await running.dispose();
      await first.stop();
      await second.stop();
    }
  });
});

/** The output of `tandem env --shell json` as an environment. */
function environment(json: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(Object(json)).map(([name, value]) => [name, String(value)]));
}
