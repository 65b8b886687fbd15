import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { exhaustive } from '../../../test/exhaustive.js';
import { DaemonLine } from '../../src/daemon/daemonLine.js';
import { DaemonStage, qwenCommandWith } from '../../src/daemon/daemonStage.js';
import { say, sayHalf } from '../../src/model/turn.js';

/** Faults between a client and a running daemon. */
let stage: DaemonStage;
afterEach(() => stage.dispose());

async function lineTo(daemon: { readonly url: string }): Promise<DaemonLine> {
  const line = await DaemonLine.to(daemon.url);
  onTestFinished(() => line.close());
  return line;
}

describe('a connection that breaks', () => {
  it('reloads the chat if the daemon dropped events, every text once', async () => {
    stage = await DaemonStage.open({ command: qwenCommandWith('--event-ring-size 4') });
    const line = await lineTo(stage.daemon);
    const user = stage.chat({ baseUrl: line.url });
    await user.chat.newSession();
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    stage.model.script(say('One.'), sayHalf('Two', held, ' and a half.'), say('Three.'), say('Four.'));
    await user.ask('First');
    const other = stage.chat();
    await other.chat.openSession(user.model.session?.id ?? '');
    await user.chat.send('Second');
    await user.until('the first half', () => user.said().at(-1) === 'assistant: Two');
    line.cut();
    await user.until('the break', ({ connection }) => connection.state === 'reconnecting');
    go();
    await other.until('the rest', () => other.said().at(-1) === 'assistant: Two and a half.');
    await other.until('the end', ({ turn }) => turn.state === 'idle');
    await other.ask('Third');
    const resets = user.patches.filter(({ op }) => op === 'reset').length;
    line.mend();
    await user.until('the line again', ({ connection }) => connection.state === 'connected');
    await user.until('what was missed', () => user.said().at(-1) === 'assistant: Three.');
    // The daemon no longer has the events, so the chat was reloaded.
    expect(user.patches.filter(({ op }) => op === 'reset').length).toBeGreaterThan(resets);
    await user.ask('Fourth');
    expect(user.said()).toEqual([
      'user: First',
      'assistant: One.',
      'user: Second',
      'assistant: Two and a half.',
      'user: Third',
      'assistant: Three.',
      'user: Fourth',
      'assistant: Four.',
    ]);
  });
});

describe('a daemon that answers 503 while it starts a workspace', () => {
  it('is retried until it is ready', exhaustive, async () => {
    stage = await DaemonStage.open({ command: qwenCommandWith('--workspace "$HOME"') });
    const line = await lineTo(stage.daemon);
    const user = stage.chat({ baseUrl: line.url });
    stage.model.script(say('Ready.'));
    await user.chat.connect();
    await user.ask('Hello');
    expect(user.said().at(-1)).toBe('assistant: Ready.');
    expect(line.answers.some((answer) => answer.endsWith(' 503'))).toBe(true);
  });
});
