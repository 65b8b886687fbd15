import { describe, expect, it } from 'vitest';
import { describeSharing } from '../src/app/sharingLine.js';
import type { PageAgent } from '../src/wire/index.js';

const session = { name: 'Agent', id: '1', client: { name: 'x', version: '1' }, connectedAt: 0 };
const agent = (id: string, displayName: string, isConnected = true): PageAgent => ({
  id,
  displayName,
  command: `tandem run ${id}`,
  takesMentions: false,
  polls: false,
  sessions: isConnected ? [session] : [],
});
const agents = [
  agent('claude', 'Claude Code'),
  agent('qwen', 'Qwen Code'),
  agent('gemini', 'Gemini CLI', false),
];
const activeFile = { path: '/w/a.ts', label: 'a.ts', selectedCharacters: 0 };
const heldBack = {
  path: '/w/a.ts',
  label: 'a.ts',
  agents: ['Qwen Code'],
  isFromAll: false,
  reason: '.qwenignore',
};

describe('describeSharing', () => {
  it('says first which file agents see and what is selected, then which agents', () => {
    const words = describeSharing(
      { isPaused: false, activeFile: { ...activeFile, selectedCharacters: 42 } },
      agents,
    );
    expect(words).toEqual({
      kind: 'shared',
      state: 'Agents see a.ts, 42 characters selected',
      detail: 'Shared with Claude Code, Qwen Code',
    });
  });

  it('reports that nothing is shared while paused, with or without connected agents', () => {
    expect(describeSharing({ isPaused: true, activeFile }, agents).kind).toBe('paused');
    expect(describeSharing({ isPaused: true }, []).state).toBe('Sharing is paused');
  });

  it('says that no agent is connected', () => {
    expect(
      describeSharing({ isPaused: false, activeFile }, [agent('claude', 'Claude Code', false)]).state,
    ).toBe('No agent is connected');
  });

  it('says why a file is hidden from all', () => {
    const words = describeSharing({ isPaused: false, heldBack: { ...heldBack, isFromAll: true } }, agents);
    expect(words).toEqual({ kind: 'held-back', state: 'Hidden from agents: a.ts', detail: '.qwenignore' });
  });

  it('names only those who see a file that is hidden from others', () => {
    const words = describeSharing({ isPaused: false, activeFile, heldBack }, agents);
    expect(words.state).toBe('Agents see a.ts');
    expect(words.detail).toBe('Shared with Claude Code, hidden from Qwen Code (.qwenignore)');
  });
});
