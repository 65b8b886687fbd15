import type { CompanionStatus, SharingStatus } from '@tandem/companion';
import { paint, visible } from './output.js';
import { reviewLine, shortPath } from './reviewText.js';

/** A companion's status for a person: who is connected, what is shared, what waits. */
export function statusText(status: CompanionStatus, cwd: string): string {
  const { editor, pid, version, workspaceFolders, isTrusted } = status;
  const folders = workspaceFolders.map(visible).join(', ') || '(no folder)';
  const lines = [
    `${paint('bold', editor.displayName)} ${version}  ${folders}${isTrusted ? '' : '  (not trusted)'}  ${paint('dim', `process ${pid}`)}`,
    sharingLine(status.sharing, cwd),
  ];
  for (const agent of status.agents) {
    const sessions = agent.sessions.map(
      ({ client, connectedAt, pid: agentPid }) =>
        `connected since ${timeOf(connectedAt)} (${visible(client.name)} ${visible(client.version)}${agentPid ? `, process ${agentPid}` : ''})`,
    );
    lines.push(`  ${agent.displayName.padEnd(12)} ${sessions.join('; ') || paint('dim', 'not connected')}`);
    for (const { file, problem } of agent.discovery) {
      if (problem !== undefined) lines.push(paint('yellow', `    ${file}: ${problem}`));
    }
  }
  if (status.reviews.length > 0) {
    lines.push(`${status.reviews.length === 1 ? '1 review waits' : `${status.reviews.length} reviews wait`}:`);
    lines.push(...status.reviews.map((review) => `  ${reviewLine(review, cwd)}`));
  }
  return lines.join('\n');
}

/** What is shared now, in a line. */
export function sharingLine(sharing: SharingStatus, cwd: string): string {
  if (sharing.isPaused) return `${paint('yellow', 'Sharing is paused')}: agents see nothing of your editor. Resume with: tandem share resume`;
  const { activeFile, heldBack } = sharing;
  const held = heldBack
    ? `${shortPath(heldBack.path, cwd)} is held back from ${heldBack.agents.join(', ')}: ${heldBack.reason}`
    : undefined;
  if (activeFile === undefined) return held ?? 'Shared: nothing yet. Say what you look at with: tandem focus FILE:LINE';
  const selected = activeFile.selectedCharacters > 0 ? `, ${activeFile.selectedCharacters} characters selected` : '';
  return `Shared: ${shortPath(activeFile.path, cwd)}${selected}${held ? `. ${held}` : ''}`;
}

/** The time of day of a Unix time in milliseconds. */
export function timeOf(unixMs: number): string {
  return new Date(unixMs).toTimeString().slice(0, 8);
}

/** How things stand, in one line that fits the terminal. Plain text: it is measured. */
export function summaryLine(status: CompanionStatus, cwd: string, columns: number): string {
  const connected = status.agents.flatMap(({ id, sessions }) =>
    sessions.length === 0 ? [] : [sessions.length === 1 ? id : `${id} x${sessions.length}`],
  );
  const waiting = status.reviews.length;
  const { isPaused, activeFile, heldBack } = status.sharing;
  const shared = activeFile
    ? `sharing ${shortPath(activeFile.path, cwd)}${activeFile.selectedCharacters > 0 ? ` (${activeFile.selectedCharacters} selected)` : ''}`
    : heldBack
      ? `holding back ${shortPath(heldBack.path, cwd)}`
      : 'sharing no file yet';
  const parts = [
    connected.length > 0 ? `agents: ${connected.join(', ')}` : 'no agent connected',
    waiting === 1 ? '1 review waits' : `${waiting} reviews wait`,
    isPaused ? 'sharing paused' : shared,
    'Ctrl+C ends',
  ];
  const line = parts.join(' · ');
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}
