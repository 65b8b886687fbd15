import { expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { agents } from '../src/agents/all.js';
import { say } from '../src/model/turn.js';
import { openSandbox, startAgent } from '../src/stage.js';

/** Tests the harness itself: without a companion, each CLI starts exactly as it does for a user. */
describeMatrix(agents, [], '$name without a companion', (agent) => {
  it('shows what the scripted model says', async () => {
    const sandbox = await openSandbox();
    const running = await startAgent(agent, sandbox, await sandbox.folder('workspace'), {
      mayRelaunch: true,
    });
    await running.ask('hello there', say('A line from the script.'));
    await running.terminal.waitFor('A line from the script.');
    expect(running.model.quotesOf('hello there')).not.toEqual([]);
  });
});
