import { descriptorOf, isAgentId, receivesOnly } from '@tandem/companion/agents';
import type { CompanionStatus } from '@tandem/companion/control';
import { elapsed, shorten, visibleName } from '@tandem/core';
import { hookWords } from '@tandem/reviews';
import type { SharingStatus } from '@tandem/rpc';
import { commandName, paint } from './output.js';
import { cap, interruptedLines, reviewLines, shortPath, shownInTerminal } from './reviewText.js';

/** A companion's status: connections, sharing, reviews. */
export function statusText(status: CompanionStatus, cwd: string, now = Date.now()): string {
  const { editor, pid, version, workspaceFolders, isTrusted } = status;
  const folders = workspaceFolders.map(visibleName).join(', ') || '(no folder)';
  const trust = isTrusted ? '' : '  (not trusted)';
  const lines = [
    `${paint('bold', editor.displayName)} ${version}  ${folders}${trust}  ${paint('dim', `process ${pid}`)}`,
    `  ${sharingLine(status.sharing, cwd)}`,
  ];
  const width = Math.max(...status.agents.map(({ displayName }) => displayName.length), 'Page'.length) + 2;
  const isQuiet = ({ sessions, lost, discovery }: CompanionStatus['agents'][number]): boolean =>
    sessions.length === 0 && lost === undefined && discovery.every(({ problem }) => problem === undefined);
  for (const agent of status.agents.filter((each) => !isQuiet(each))) {
    const sessions = agent.sessions.map(
      ({ client, connectedAt, lastMessageAt, isAway, title, hooks, pid: agentPid }) => {
        const named = title ? `"${shorten(visibleName(title), 60)}", ` : '';
        const process = agentPid === undefined ? '' : `, process ${agentPid}`;
        const spoke = lastMessageAt === undefined ? '' : `, last message ${ago(lastMessageAt, now)}`;
        const state = agent.polls
          ? `last request ${ago(lastMessageAt ?? connectedAt, now, true)}`
          : `${isAway ? 'connection lost, may reconnect' : `connected since ${timeOf(connectedAt)}`}${spoke}`;
        const waits = hooks === undefined ? '' : `; ${hookWords[hooks].label.toLowerCase()}`;
        return `${named}${state} (${visibleName(`${client.name} ${client.version}`.trim())}${process})${waits}`;
      },
    );
    const only = isAgentId(agent.id) ? receivesOnly(descriptorOf(agent.id)) : undefined;
    const state = sessions.join('; ') || paint('dim', 'not connected');
    lines.push(
      `  ${agent.displayName.padEnd(width)}${state}${only === undefined ? '' : `; receives ${only}`}`,
    );
    if (agent.lost !== undefined)
      lines.push(paint('yellow', `    ${lostLine({ ...agent.lost, displayName: agent.displayName })}`));
    for (const { problem } of agent.discovery) {
      if (problem !== undefined) lines.push(paint('yellow', `    ${visibleName(problem)}`));
    }
  }
  const quiet = status.agents.filter(isQuiet).map(({ displayName }) => displayName);
  if (quiet.length > 0) lines.push(paint('dim', `  Not connected: ${quiet.join(', ')}`));
  if (status.page !== undefined) {
    lines.push(
      `  ${'Page'.padEnd(width)}${status.page.url}  ${paint('dim', `open it with: ${commandName} page --open`)}`,
    );
  }
  lines.push(...recordingLines(status.recording));
  if (status.reviews.length > 0) {
    lines.push(
      status.reviews.length === 1 ? '  1 pending review:' : `  ${status.reviews.length} pending reviews:`,
    );
    const { shown, more } = cap(status.reviews, shownInTerminal.pending, true);
    lines.push(...shown.flatMap((review) => reviewLines(review, cwd)).map((line) => `  ${line}`));
    lines.push(...more.map((line) => `       ${line}: ${commandName} review list --all`));
  }
  lines.push(...interruptedLines(status.interrupted, cwd, { isTerminal: true }).map((line) => `  ${line}`));
  return lines.join('\n');
}

/** What is recorded in each folder, and where the copies of its files are. */
function recordingLines(recording: CompanionStatus['recording']): readonly string[] {
  return recording.map(({ folder, note, copies }) => {
    const of = recording.length > 1 ? ` in ${visibleName(folder)}:` : '';
    const kept = copies === undefined ? '' : paint('dim', `  ${visibleName(copies.note)}`);
    return `  Records${of} ${visibleName(note)}${kept}`;
  });
}

/** Agents that have not reconnected after a restart, and what to do. */
export function lostLine(lost: {
  readonly displayName: string;
  readonly count: number;
  readonly connect: string;
}): string {
  const { displayName, count, connect } = lost;
  return count === 1
    ? `${displayName} has not reconnected since the restart. If it is still running, type ${connect} in it`
    : `${count} sessions of ${displayName} have not reconnected since the restart. If they still run, type ${connect} in them`;
}

/** Agents that reconnected later, and how many are still missing. */
export function returnedLine(returned: { readonly displayName: string; readonly count: number }): string {
  const { displayName, count } = returned;
  return count === 0 ? `${displayName} reconnected` : `${displayName} reconnected; still missing: ${count}`;
}

export function sharingLine(sharing: SharingStatus, cwd: string): string {
  if (sharing.isPaused) {
    const resume = `Resume with: ${commandName} share resume`;
    return `${paint('yellow', 'Sharing is paused')}: agents see nothing in your editor. ${resume}`;
  }
  const { activeFile } = sharing;
  const held = heldBackLine(sharing, cwd);
  if (activeFile === undefined) {
    return held ?? `Shared: nothing yet. Show agents a file with: ${commandName} focus FILE:LINE`;
  }
  const { selectedCharacters } = activeFile;
  const selected =
    selectedCharacters === 0
      ? ''
      : `, ${selectedCharacters} ${selectedCharacters === 1 ? 'character' : 'characters'} selected`;
  return `Shared: ${shortPath(activeFile.path, cwd)}${selected}${held === undefined ? '' : `. ${held}`}`;
}

function heldBackLine({ heldBack }: SharingStatus, cwd: string): string | undefined {
  if (heldBack === undefined) return undefined;
  const whom = heldBack.isFromAll ? 'all agents' : heldBack.agents.join(', ');
  return `${paint('yellow', 'Hidden')} from ${whom}: ${shortPath(heldBack.path, cwd)}, because ${visibleName(heldBack.reason)}`;
}

/** The age of a Unix time; usually without seconds, because a working agent sends messages all the time. */
function ago(unixMs: number, now: number, hasSeconds = false): string {
  const { count, unit } = elapsed(now - unixMs);
  return unit === 'second' && !hasSeconds
    ? 'just now'
    : `${count} ${unit === 'minute' ? 'min' : unit[0]} ago`;
}

/** The time of day of a Unix time in milliseconds. */
export function timeOf(unixMs: number): string {
  return new Date(unixMs).toTimeString().slice(0, 8);
}

/** The status in one line of at most `columns` characters, without colours. */
export function summaryLine(
  status: Pick<CompanionStatus, 'agents' | 'sharing'> & { readonly reviews: readonly unknown[] },
  cwd: string,
  columns: number,
  now = Date.now(),
): string {
  const connected = status.agents.flatMap(({ id, sessions, polls }) =>
    sessions.length === 0 ? [] : [connectedInBrief(id, sessions, now, polls)],
  );
  const pending = status.reviews.length;
  const lost = status.agents.flatMap((agent) =>
    agent.lost === undefined ? [] : [`${agent.id} has not reconnected: type ${agent.lost.connect} in it`],
  );
  const parts = [
    connected.length > 0 ? `agents: ${connected.join(', ')}` : 'no agent connected',
    ...lost,
    ...(pending > 0 ? [pending === 1 ? '1 pending review' : `${pending} pending reviews`] : []),
    sharedInBrief(status.sharing, cwd),
    'Ctrl+C ends',
  ];
  const line = parts.join(' · ');
  return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`;
}

type Sessions = CompanionStatus['agents'][number]['sessions'];

/** Without an age if one session has just sent a message. */
function connectedInBrief(id: string, sessions: Sessions, now: number, polls = false): string {
  const name = sessions.length === 1 ? id : `${id} x${sessions.length}`;
  if (sessions.every(({ isAway }) => isAway)) return `${name} (connection lost)`;
  const times = sessions.flatMap(({ lastMessageAt }) => (lastMessageAt === undefined ? [] : [lastMessageAt]));
  if (times.length === 0) return name;
  const spoke = ago(Math.max(...times), now);
  if (polls) return `${name} (last request ${ago(Math.max(...times), now, true)})`;
  return spoke === 'just now' ? name : `${name} (last message ${spoke})`;
}

function sharedInBrief({ isPaused, activeFile, heldBack }: SharingStatus, cwd: string): string {
  if (isPaused) return 'sharing paused';
  if (activeFile === undefined) {
    return heldBack ? `hiding ${shortPath(heldBack.path, cwd)}` : 'sharing no file yet';
  }
  const { path, selectedCharacters } = activeFile;
  return `sharing ${shortPath(path, cwd)}${selectedCharacters > 0 ? ` (${selectedCharacters} selected)` : ''}`;
}
