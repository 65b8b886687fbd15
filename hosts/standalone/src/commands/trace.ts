import { homedir } from 'node:os';
import type { FoundCompanion } from '@tandem/companion/control';
import {
  outcome,
  Timeline,
  type TraceStep,
  timelineLine,
  timelineOf,
  traceReport,
} from '@tandem/companion/trace';
import { visibleJson, visibleLines, visibleName } from '@tandem/core';
import { asCommandError, ask, type CompanionChoice, chooseCompanion } from '../connectCompanion.js';
import { paint, print, printError } from '../output.js';

export interface TraceOptions extends CompanionChoice {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly report?: boolean;
}

/**
 * `tandem trace`: messages as a timeline, each request with its answer; with `--follow` new ones until Ctrl+C, with `--json`
 * the recorder's lines, with `--report` a bug report.
 */
export async function trace(options: TraceOptions): Promise<void> {
  const companion = await chooseCompanion(process.cwd(), options);
  if (options.report) return print(visibleLines(await reportOf(companion)));
  if (options.follow) return follow(companion, options.json ? printLine : stepPrinter());
  const lines = await linesOf(companion);
  if (lines.length === 0 && process.stdout.isTTY) printError('No messages yet.');
  if (options.json) lines.forEach(printLine);
  else for (const entry of timelineOf(lines)) print(marked(visibleName(timelineLine(entry)), entry));
}

async function linesOf(companion: FoundCompanion): Promise<readonly string[]> {
  return ask(companion, 'trace', {});
}

async function reportOf(companion: FoundCompanion): Promise<string> {
  const [lines, status] = await Promise.all([linesOf(companion), ask(companion, 'status', {})]);
  return traceReport({ lines, status, home: homedir() });
}

async function follow(companion: FoundCompanion, onLine: (line: string) => void): Promise<void> {
  try {
    await companion.client.followTrace(onLine);
  } catch (cause) {
    throw asCommandError(cause, companion);
  }
}

function printLine(line: string): void {
  print(visibleJson(line));
}

/** Prints a request when it arrives, because its answer may take hours, and again with its answer. */
function stepPrinter(): (line: string) => void {
  const timeline = new Timeline();
  return (line) => {
    const step = timeline.add(line);
    if (step !== undefined) print(stepLine(step));
  };
}

function stepLine({ entry, isAnswer }: TraceStep): string {
  if (!isAnswer) return visibleName(timelineLine(entry));
  const { agent, from, method, detail, kind, answer } = entry;
  const what = [method, detail].filter((each) => each !== undefined).join(' ');
  const text = `${' '.repeat(12)}  ${agent.padEnd(6)} ${from === 'agent' ? '←' : '→'}   answer to ${what}${outcome(kind, answer)}`;
  return marked(visibleName(text), entry);
}

function marked(text: string, { answer }: TraceStep['entry']): string {
  return answer?.isError ? paint('red', text) : text;
}
