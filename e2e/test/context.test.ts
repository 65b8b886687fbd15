import { expect, it } from 'vitest';
import { describeMatrix } from '../../test/describeMatrix.js';
import { useAgentGroup } from '../src/agentGroup.js';
import { agents } from '../src/agents/all.js';
import { claude } from '../src/agents/claude.js';
import { say } from '../src/model/turn.js';
import type { Stage } from '../src/stage.js';
import { tandem } from '../src/tandem.js';

const SECRET = 'hunter2-4bd1c7';

/** The model receives what the user works on, and nothing that is hidden from agents. */
describeMatrix(agents, [claude], '$name', (agent) => {
  const focusSecret = async (stage: Stage): Promise<string> => {
    const secret = await stage.put('.env', `TOKEN=${SECRET}\n`);
    await tandem(stage.sandbox, stage.workspace, ['focus', `${secret}:1:1-1:21`]);
    return secret;
  };
  const group = useAgentGroup(agent, {
    async before(stage) {
      await focusSecret(stage);
      await stage.tandem.run('focus', `${await stage.put('before.txt', 'marker-91cc\n')}:1:1-1:12`);
    },
  });

  it('receives at once the context from before it started', async () => {
    const { stage, running } = group.current;
    await running.waitForActiveFile('before.txt');
    await running.ask('describe what is open', say('A marker, before.'));
    await running.terminal.waitFor('A marker, before.');
    expect(running.model.quotesOf(stage.path('before.txt'))).not.toEqual([]);
    expect(running.model.quotesOf('marker-91cc')).not.toEqual([]);
  });

  it('shows its model the file and the selection in focus', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('looked at.txt', 'first line\nsecond marker-7f3a line\n');
    await stage.tandem.run('focus', `${path}:2:8-2:19`);
    await running.waitForActiveFile('looked at.txt');
    await running.ask('describe what is selected', say('A marker, selected.'));
    await running.terminal.waitFor('A marker, selected.');
    expect(running.model.quotesOf(path)).not.toEqual([]);
    expect(running.model.quotesOf('marker-7f3a')).not.toEqual([]);
    // Neither more nor less than what is selected.
    expect(running.model.quotesOf('second marker-7f3a')).toEqual([]);
    expect(running.model.quotesOf('marker-7f3a line')).toEqual([]);
  });

  it('never sees a .env file, from before it started or later', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('open.txt', 'marker-52aa\n');
    await stage.tandem.run('focus', `${path}:1:1-1:12`);
    await running.waitForActiveFile('open.txt');
    await running.ask('describe what is open', say('The script says so.'));
    await running.terminal.waitFor('The script says so.');
    const secret = await focusSecret(stage);
    await running.waitForActiveFile('open.txt', false);
    await running.ask('describe it again', say('The script says so again.'));
    await running.terminal.waitFor('The script says so again.');
    expect(running.model.quotesOf(secret)).toEqual([]);
    expect(running.model.quotesOf(SECRET)).toEqual([]);
    expect(running.model.quotesOf('marker-52aa')).not.toEqual([]);
  });

  it('forgets what it saw when sharing is paused', async () => {
    const { stage, running } = group.current;
    const path = await stage.put('paused.txt', 'marker-d00d\n');
    await stage.tandem.run('focus', `${path}:1:1-1:12`);
    await running.waitForActiveFile('paused.txt');
    await stage.tandem.run('share', 'pause');
    await running.waitForActiveFile('paused.txt', false);
    await running.ask('describe what is left', say('Nothing.'));
    await running.terminal.waitFor('Nothing.');
    expect(running.model.quotesOf('marker-d00d')).toEqual([]);
    await stage.tandem.run('share', 'resume');
    await running.waitForActiveFile('paused.txt');
  });

  if (agent !== claude) return;
  it('gets a mentioned file and its lines into the prompt', async () => {
    const { stage, running } = group.current;
    await stage.put('mentioned.txt', 'one\ntwo\nthree\n');
    await stage.tandem.run('mention', 'mentioned.txt:2-3');
    await running.terminal.waitFor('@mentioned.txt#L2-3');
  });
});
