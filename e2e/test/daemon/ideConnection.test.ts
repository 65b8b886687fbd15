import { DaemonIdeConnection } from '@tandem/chat';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { DaemonStage } from '../../src/daemon/daemonStage.js';
import { questions } from '../../src/daemon/questions.js';
import { call, fail, say, sayHalf, think } from '../../src/model/turn.js';

/** The specified adapter with the real daemon. All tests use the daemon's shared session, as editors do. */
let stage: DaemonStage;
beforeAll(async () => {
  stage = await DaemonStage.open();
});
afterAll(() => stage.dispose());
afterEach(() => stage.model.clearScript());

const oneQuestion = { questions: questions.slice(0, 1) };

async function connected() {
  const ide = stage.ide();
  await ide.connect(stage.ideOptions());
  return ide;
}

describe('sendPrompt', () => {
  it('resolves at the end of the turn, with the text in session updates [DMN-1 DMN-7]', async () => {
    const ide = await connected();
    stage.model.script(think('Hm.', 'Good morning.'));
    expect(await ide.connection.sendPrompt('Hello')).toEqual({ stopReason: 'end_turn' });
    expect(ide.ends).toEqual(['end_turn']);
    expect(ide.text()).toBe('Good morning.');
    expect(ide.updates).toContainEqual(expect.objectContaining({ sessionUpdate: 'agent_thought_chunk' }));
  });

  it('accepts content blocks', exhaustive, async () => {
    const ide = await connected();
    stage.model.script(say('Read.'));
    await ide.connection.sendPrompt([{ type: 'text', text: 'Read this block' }]);
    expect(stage.model.quotesOf('Read this block')).not.toEqual([]);
  });

  it('rejects when the model fails [DMN-8]', async () => {
    const ide = await connected();
    stage.model.script(fail(400, 'no such model'));
    await expect(ide.connection.sendPrompt('Hello')).rejects.toThrow(/no such model/);
    expect(ide.ends).toEqual(['error']);
    expect(ide.disconnects).toEqual([]);
  });

  it('ends as cancelled when the session is cancelled [DMN-25]', async () => {
    const ide = await connected();
    stage.model.script(sayHalf('Half', new Promise(() => {})));
    const turn = ide.connection.sendPrompt('Go on for ever');
    await ide.until('the first half', () => ide.text() === 'Half');
    await ide.connection.cancelSession();
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    expect(ide.ends).toEqual(['cancelled']);
  });
});

describe('permissions and questions', () => {
  it('requests a permission and sends the answer [DMN-2]', async () => {
    const ide = await connected();
    ide.answer = async () => ({ optionId: 'proceed_once' });
    stage.model.script(call('write_file', { file_path: stage.path('ide.txt'), content: 'x' }), say('Done.'));
    await ide.connection.sendPrompt('Write');
    expect(ide.permissions).toMatchObject([{ toolCall: { kind: 'edit', title: 'Writing to ide.txt' } }]);
    expect(await stage.read('ide.txt')).toBe('x');
  });

  it.each([
    ['the option that rejects', async () => ({ optionId: 'cancel' })],
    ['an option that was not offered', async () => ({ optionId: 'proceed_with_everything' })],
    ['no option', async () => ({})],
    ['a handler that fails', () => Promise.reject(new Error('on purpose'))],
  ])('writes nothing for %s [DMN-2]', async (_name, answer) => {
    const ide = await connected();
    ide.answer = answer;
    stage.model.script(call('write_file', { file_path: stage.path('never.txt'), content: 'x' }));
    await ide.connection.sendPrompt('Write');
    expect(ide.permissions).toHaveLength(1);
    await expect(stage.read('never.txt')).rejects.toThrow(/ENOENT/);
  });

  it.each([
    ['position', { 0: 'Blue' }],
    ['text', { 'Which colour?': 'Blue' }],
    ['header', { Colour: 'Blue' }],
  ])('asks a question and forwards the answer, named by its %s [DMN-3 DMN-21]', async (_name, answers) => {
    const ide = await connected();
    ide.answerQuestion = async () => ({ optionId: 'proceed_once', answers });
    stage.model.script(call('ask_user_question', oneQuestion), say('Blue it is.'));
    await ide.connection.sendPrompt('Ask');
    expect(ide.questions).toMatchObject([oneQuestion]);
    expect(ide.permissions).toEqual([]);
    expect(stage.model.toolResults.at(-1)).toContain('Blue');
  });

  it('dismisses a request that another client has answered [DMN-19]', async () => {
    const [slow, quick] = [await connected(), await connected()];
    quick.answer = async () => {
      await slow.until('the request there', () => slow.permissions.length > 0);
      return { optionId: 'proceed_once' };
    };
    stage.model.script(call('write_file', { file_path: stage.path('two.txt'), content: 'x' }), say('Done.'));
    await slow.connection.sendPrompt('Write');
    expect(slow.dismissed).toEqual([slow.permissions[0]?.requestId]);
    expect(await stage.read('two.txt')).toBe('x');
  });

  it('asks a request that was pending before it connected [DMN-18]', async () => {
    const first = await connected();
    stage.model.script(call('ask_user_question', oneQuestion), say('Thanks.'));
    const turn = first.connection.sendPrompt('Ask');
    await first.until('the question', () => first.questions.length > 0);
    const late = stage.ide();
    late.answerQuestion = async () => ({ optionId: 'proceed_once', answers: { 0: 'Red' } });
    await late.connect(stage.ideOptions());
    expect(await turn).toEqual({ stopReason: 'end_turn' });
    expect(late.questions[0]?.requestId).toBe(first.questions[0]?.requestId);
    expect(stage.model.toolResults.at(-1)).toContain('Red');
  });

  it('leaves a request to other clients without a handler', async () => {
    const silent = new DaemonIdeConnection();
    await silent.connect(stage.ideOptions());
    const ide = await connected();
    ide.answer = async () => ({ optionId: 'proceed_once' });
    stage.model.script(
      call('write_file', { file_path: stage.path('other.txt'), content: 'x' }),
      say('Done.'),
    );
    await silent.sendPrompt('Write');
    expect(await stage.read('other.txt')).toBe('x');
    await silent.disconnect();
  });
});

describe('setModel', () => {
  it('switches the model and returns nothing of the key [DMN-26]', async () => {
    const ide = await connected();
    expect(await ide.connection.setModel('fake-model-2')).toEqual({ modelId: 'fake-model-2' });
    await ide.connection.setModel('fake-model');
  });

  it('names an unknown model in its error', exhaustive, async () => {
    const ide = await connected();
    await expect(ide.connection.setModel('no-such-model')).rejects.toMatchObject({
      kind: 'request_failed',
      message: expect.stringContaining('no-such-model'),
    });
  });
});

describe('connect and disconnect', () => {
  it('shares one connection between two concurrent calls [DMN-11]', async () => {
    const ide = stage.ide();
    await Promise.all([ide.connect(stage.ideOptions()), ide.connect(stage.ideOptions())]);
    stage.model.script(say('Once.'));
    await ide.connection.sendPrompt('Hello');
    expect(ide.text()).toBe('Once.');
    expect(ide.disconnects).toEqual([]);
  });

  it('reports a disconnect once, and nothing after it [DMN-6 DMN-12]', async () => {
    const ide = await connected();
    const other = await connected();
    await Promise.all([ide.connection.disconnect(), ide.connection.disconnect()]);
    expect(ide.disconnects).toEqual(['disconnected']);
    expect(ide.connection.isConnected).toBe(false);
    stage.model.script(say('To the other.'));
    await other.connection.sendPrompt('Hello');
    expect(ide.text()).toBe('');
    await expect(ide.connection.sendPrompt('Hello')).rejects.toThrow(/Connect first/);
  });

  it('resumes after the last event [DMN-13]', async () => {
    const ide = await connected();
    stage.model.script(say('Before.'));
    await ide.connection.sendPrompt('One');
    // The daemon closes an idle session without clients.
    const other = await connected();
    await ide.connection.disconnect();
    const { lastEventId } = ide.connection;
    stage.model.script(say('Meanwhile.'));
    await other.connection.sendPrompt('Two');
    const again = stage.ide();
    await again.connect({ ...stage.ideOptions(), ...(lastEventId !== undefined && { lastEventId }) });
    await again.until('what was missed', () => again.text() === 'Meanwhile.');
    stage.model.script(say(' After.'));
    await again.connection.sendPrompt('Three');
    expect(again.text()).toBe('Meanwhile. After.');
  });

  it('continues in its session as the only client, each time [DMN-13 DMN-40]', async () => {
    const own = await DaemonStage.open();
    onTestFinished(() => own.dispose());
    const ide = own.ide();
    await ide.connect(own.ideOptions());
    const { currentSessionId } = ide.connection;
    for (const text of ['One.', 'Two.', 'Three.']) {
      own.model.script(say(text));
      await ide.connection.sendPrompt('Go on');
      await ide.connection.disconnect();
      const { lastEventId } = ide.connection;
      await ide.connect({ ...own.ideOptions(), ...(lastEventId !== undefined && { lastEventId }) });
      expect(ide.connection.currentSessionId).toBe(currentSessionId);
    }
    expect(ide.text()).toBe('One.Two.Three.');
    // Its registration is not valid in another daemon.
    await ide.connection.disconnect();
    const { lastEventId = 0 } = ide.connection;
    await own.restart();
    await ide.connect({ ...own.ideOptions(), lastEventId });
    own.model.script(say('Again.'));
    expect(await ide.connection.sendPrompt('Go on')).toEqual({ stopReason: 'end_turn' });
  });

  it('ends a running turn without an error of the turn', exhaustive, async () => {
    const ide = await connected();
    stage.model.script(sayHalf('Half', new Promise(() => {})));
    const turn = ide.connection.sendPrompt('Go on');
    const outcome = expect(turn).rejects.toThrow(/closed during the turn/);
    await ide.until('the first half', () => ide.text() === 'Half');
    await ide.connection.disconnect();
    await outcome;
    expect(ide.ends).toEqual([]);
    expect(ide.disconnects).toEqual(['disconnected']);
    const other = await connected();
    await other.connection.cancelSession();
  });
});
