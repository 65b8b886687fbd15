import { silentLogger } from '@tandem/core';
import { runEditorContract } from '@tandem/testing';
import { describe, it } from 'vitest';
import { connectForCheck } from '../src/check.js';
import { pipes, ScriptedPeer } from './support/scriptedPeer.js';

describe.each(['headers', 'lines'] as const)('an editor over a connection with %s', (framing) => {
  runEditorContract(async () => {
    const { ours, theirs } = pipes();
    const connected = connectForCheck(ours, silentLogger);
    const peer = new ScriptedPeer(theirs, framing);
    await peer.initialize([]);
    const editor = await connected;
    const stage = await editor.stage();
    return {
      ...stage,
      async dispose() {
        await stage.dispose();
        peer.connection.dispose();
        editor.dispose();
      },
    };
  }, it);
});
