import type { Path } from '@tandem/core';
import { redact } from '@tandem/mcp';
import type { CompanionStatus } from '../control/controlContract.js';
import { type TraceEntry, timelineOf } from './timeline.js';

export interface TraceReportOptions {
  /** The recorder's lines. Contents are removed again, in case the lines have any. */
  readonly lines: readonly string[];
  readonly status: CompanionStatus;
  /** The user's home folder; the report shows it as `~`. */
  readonly home: Path;
  /** Only the messages of this agent. */
  readonly agent?: string;
}

/**
 * The messages for a bug report, as Markdown: the programs that ran, the timeline, the messages. No token and no file
 * content; the names of files stay, with the home folder removed from their paths.
 */
export function traceReport({ lines, status, home, agent }: TraceReportOptions): string {
  const redacted = lines.flatMap((line) => {
    const entry = parseRecord(line);
    if (entry === undefined || (agent !== undefined && entry.endpoint !== agent)) return [];
    const message = redact(entry.message, { includeContents: false, secrets: [] });
    return [JSON.stringify({ ...entry, message })];
  });
  const sessions = status.agents.flatMap(({ displayName, sessions: all }) =>
    all.map(({ client }) => `- ${displayName}: ${client.name} ${client.version}, connected`),
  );
  const text = [
    '# Tandem: messages',
    '',
    `- Tandem ${status.version}${hostOf(status)}`,
    `- Node.js ${process.version}, ${process.platform} ${process.arch}`,
    ...sessions,
    '',
    '```',
    ...timelineOf(redacted).map(timelineLine),
    '```',
    '',
    '```jsonl',
    ...redacted,
    '```',
    '',
  ].join('\n');
  return home.length > 1 ? text.replaceAll(home, '~') : text;
}

/** The editor that Tandem runs in. The standalone command is its own editor. */
function hostOf({ editor: { name, displayName, version } }: CompanionStatus): string {
  return name === 'tandem' ? '' : ` in ${displayName} ${version}`;
}

/** One exchange in one line: time, agent, direction, method, and outcome. */
export function timelineLine({ at, agent, from, method, detail, kind, answer }: TraceEntry): string {
  const what = [method, detail].filter((each) => each !== undefined).join(' ');
  const arrow = from === 'agent' ? '→' : '←';
  return `${timeOfDay(at)}  ${agent.padEnd(6)} ${arrow} ${what}${outcome(kind, answer)}`;
}

/** The outcome of a request: the duration until its answer, and whether that is an error. */
export function outcome(kind: TraceEntry['kind'], answer: TraceEntry['answer']): string {
  if (answer === undefined) return kind === 'request' ? '  pending' : '';
  const { afterMs, isError, says } = answer;
  const words = [
    ...(isError ? ['✗'] : []),
    ...(says === undefined ? (isError ? ['error'] : []) : [says]),
    ...(afterMs === undefined ? [] : [`${afterMs} ms`]),
  ];
  return words.length === 0 ? '' : `  ${words.join(' ')}`;
}

/** The time with milliseconds, which distinguish one message from the next. */
function timeOfDay(unixMs: number): string {
  const date = new Date(unixMs);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** Keeps only the members that the recorder writes. */
function parseRecord(line: string) {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('message' in value)) return undefined;
    const { t, endpoint, session, direction, message } = {
      t: 0,
      endpoint: '',
      session: '',
      direction: '',
      ...value,
    };
    return { t, endpoint, session, direction, message };
  } catch {
    return undefined;
  }
}
