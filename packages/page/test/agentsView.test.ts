// @vitest-environment happy-dom
import { screen, within } from '@testing-library/dom';
import { act, createElement } from 'react';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AgentsView } from '../src/agents/agentsView.js';
import type { PageAgent } from '../src/wire/index.js';
import { renderInPage } from './support/renderInPage.js';

const now = 1_000_000;

const claude: PageAgent = {
  id: 'claude',
  displayName: 'Claude Code',
  command: 'tandem run claude',
  takesMentions: true,
  polls: false,
  sessions: [],
};
const codex: PageAgent = {
  id: 'codex',
  displayName: 'Codex CLI',
  command: 'tandem run codex',
  takesMentions: false,
  polls: true,
  sessions: [],
};

/** The same agent with one session, whose last message came at this time. */
function connected(agent: PageAgent, lastMessageAt: number): PageAgent {
  const client = { name: `${agent.id}-tui`, version: '' };
  return {
    ...agent,
    sessions: [{ id: 's', name: agent.displayName, client, connectedAt: 0, lastMessageAt }],
  };
}

function render(...agents: readonly PageAgent[]) {
  const { store } = renderInPage(createElement(AgentsView));
  const show = (...shown: readonly PageAgent[]): void => act(() => store.setState({ agents: shown }));
  show(...agents);
  return { show };
}

/** The text of an agent's card. */
function card(name: string): string | null {
  const [found] = screen.getAllByRole('listitem').filter((item) => within(item).queryByText(name));
  if (found === undefined) throw new Error(`${name} has no card`);
  return found.textContent;
}

beforeEach(() => {
  vi.useFakeTimers({ now });
  onTestFinished(() => void vi.useRealTimers());
});

describe('an agent without a lasting connection', () => {
  it('shows when it asked last, and counts the seconds', () => {
    const { show } = render(connected(codex, now - 12_000));
    expect(card('Codex CLI')).toContain('last request 12 s ago');
    act(() => void vi.advanceTimersByTime(1_000));
    expect(card('Codex CLI')).toContain('last request 13 s ago');
    act(() => void vi.advanceTimersByTime(110_000));
    expect(card('Codex CLI')).toContain('last request 2 min ago');
    show(connected(codex, Date.now()));
    expect(card('Codex CLI')).toContain('last request 0 s ago');
  });

  it('shows no reviews if it proposes none', () => {
    render(connected({ ...codex, receivesOnly: 'context only, no reviews' }, now));
    expect(card('Codex CLI')).toContain('Receives context only, no reviews.');
    expect(card('Codex CLI')).not.toContain('pending reviews');
  });
});

describe('an agent with a lasting connection', () => {
  it('shows when its last message came, without seconds, and its pending reviews', () => {
    render(connected(claude, now - 12_000));
    expect(card('Claude Code')).toContain('last message just now');
    expect(card('Claude Code')).toContain('No pending reviews.');
  });
});

it('shows the connected agents first, and the command for each of the others', () => {
  render(claude, connected(codex, now));
  expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    'Codex CLI',
    'Claude Code',
  ]);
  expect(card('Claude Code')).toContain('tandem run claude');
  expect(card('Codex CLI')).not.toContain('tandem run');
});
