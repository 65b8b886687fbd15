import { labelIn, type Path } from '@tandem/core';
import { ToolError } from '@tandem/mcp';
import {
  composeFeedback,
  type FileContent,
  type HookMode,
  isSameContent,
  type Proposal,
  type Review,
} from '@tandem/reviews';
import type { AgentDefinition, ProtocolHost } from '../agentProtocol.js';
import type { AgentSessions } from '../agentSessions.js';
import { decisionOn } from '../decisionOn.js';
import { AcceptedTexts, type FileResult } from './acceptedTexts.js';
import type { AgentHooks, CommandEvent, DecidedFile, EditEvent, TurnEvent } from './agentHooks.js';
import { type FileEdit, plainText } from './fileEdit.js';
import { HookedSessions } from './hookedSessions.js';
import { HookModes, hookedId } from './hookModes.js';
import { correctedText, correctionNote, nothingLeft, notShown } from './modelTexts.js';
import { remember } from './remember.js';
import type {
  ChosenMode,
  HeldRejection,
  HookAnswer,
  HookCall,
  HookRequest,
  OnQuestion,
  ServedHooks,
  StreamOf,
} from './servedHooks.js';
import { WaitingCalls } from './waitingCalls.js';
import { WrittenEdits } from './writtenEdits.js';

const decidedMeanwhile =
  'The user has now decided about a change that you left waiting. Receive its result from the script that still runs, then continue.';
const byQuestion = 'Tandem shows this change for review.';

interface Services {
  readonly agent: AgentDefinition;
  readonly hooks: AgentHooks;
  /** What the user chose in an earlier companion. */
  readonly chosen: readonly ChosenMode[];
  readonly host: ProtocolHost;
  readonly sessions: AgentSessions<unknown>;
  readonly onQuestion?: OnQuestion;
  readonly streamOf?: StreamOf;
}

/** See `ServedHooks`. */
export class RunningHooks
  implements Omit<ServedHooks, 'modeOf' | 'setMode' | 'chosenModes' | 'restoreModes'>
{
  readonly modes = new HookModes();
  readonly #agent: AgentDefinition;
  readonly #hooks: AgentHooks;
  readonly #host: ProtocolHost;
  readonly #sessions: HookedSessions;
  readonly #onQuestion: OnQuestion | undefined;
  readonly #waiting = new WaitingCalls();
  readonly #written: WrittenEdits;
  /** Proposals for which a hook waits, with the feedback that their rejection carries, once that is known. */
  readonly #proposals = new Map<Proposal, Promise<string | undefined> | undefined>();
  /** What the model of each session receives with the user's next prompt. */
  readonly #left = new Map<string, readonly string[]>();
  readonly #accepted = new AcceptedTexts();
  /** The edits of the last call with each `EditEvent.subject`. */
  readonly #calls = new Map<string, readonly FileEdit[]>();
  #isDisposed = false;

  constructor({ hooks, chosen, onQuestion, ...services }: Services) {
    this.#agent = services.agent;
    this.#hooks = hooks;
    this.modes.restore(chosen);
    this.#host = services.host;
    this.#sessions = new HookedSessions(services);
    this.#written = new WrittenEdits(services.agent.identity.id, services.host);
    this.#onQuestion = onQuestion;
  }

  async answer(request: HookRequest, call: HookCall): Promise<HookAnswer> {
    const hooks = this.#hooks;
    const event = hooks.read(request.input, this.#host.machine.platform);
    if (event === undefined) return {};
    if (event.kind === 'question') {
      const text = await this.#onQuestion?.(request.pid, request.input, call.signal);
      return { output: text === undefined ? undefined : hooks.denyQuestion?.(text) };
    }
    const connected = await this.#sessions.connectionOf(request.pid);
    const session = connected?.id ?? hookedId(event.session);
    const known = this.modes.called(session, request.pid, request.mode);
    // What has waited waits again, whatever the user has chosen since.
    const waitsAgain = request.isRepeated === true && !(event.kind === 'edit' && event.isQuestion);
    const mode = waitsAgain ? 'before' : known;
    if (event.kind === 'written') {
      await this.#written.record(event, session);
      return {};
    }
    if (event.kind === 'command') {
      if (connected === undefined) this.#sessions.open(session, request.pid);
      if (mode !== 'off') await this.#noteCommand(event, session);
      return {};
    }
    if (event.kind !== 'edit' && mode !== 'off') this.#noteTurn(event, session);
    if (event.kind === 'turn-rest') return {};
    if (event.kind === 'turn-pause') return { output: await this.#resume(event, call.signal) };
    if (event.kind !== 'edit') {
      const isBeginning = event.kind === 'session-start' || event.kind === 'prompt';
      if (isBeginning && this.#agent.descriptor.isHookedOnly) this.#sessions.open(session, request.pid);
      return { output: this.#endTurn(event, session, call) };
    }
    if (connected === undefined) this.#sessions.open(session, request.pid);
    // It has connected since.
    else if (!this.#waiting.has(event.session)) this.#sessions.close(hookedId(event.session));
    if (event.subject !== undefined && !event.isQuestion) {
      remember(this.#calls, JSON.stringify([event.session, event.subject]), event.edits);
    }
    if (!isReviewed(event, mode, connected !== undefined)) {
      if (mode !== 'off') await this.#written.begin(event);
      return {};
    }
    const how = hooks.review(event, {
      isConnected: connected !== undefined,
      isInteractive: request.isInteractive,
    });
    if (how === 'as-without-hook') return {};
    if (how === 'by-its-question') return { output: hooks.ask?.(event, byQuestion) };
    const asked = this.#callOf(event);
    // The question may be about another file than it seems.
    if (asked === undefined && mode === 'follow') return {};
    return { output: await this.#hold({ event: asked ?? event, session, mode }, call) };
  }

  async #noteCommand({ hasEnded, call, command }: CommandEvent, session: string): Promise<void> {
    const { work } = this.#host;
    const id = call ?? command;
    if (hasEnded) return work?.commandEnded(session, id);
    await work?.commandBegan({ agent: this.#agent.identity.id, session }, id, command);
  }

  #noteTurn({ kind, prompt, isContinued = false }: TurnEvent, session: string): void {
    const { work } = this.#host;
    const of = { agent: this.#agent.identity.id, session };
    if (kind === 'prompt') work?.turnBegan(of, { prompt, isContinued });
    else if (kind !== 'session-start') work?.turnEnded(session);
  }

  /** A question with the edits of the call that it is about; undefined if that is not known. A call as it is. */
  #callOf(event: EditEvent): EditEvent | undefined {
    const { session, subject, isQuestion } = event;
    if (subject === undefined || !isQuestion) return event;
    const edits = this.#calls.get(JSON.stringify([session, subject]));
    return edits && { ...event, edits };
  }

  /** Waits until no edit of the session waits for the user. Returns what makes the agent continue its turn, if the user decided. */
  async #resume({ session }: TurnEvent, signal: AbortSignal): Promise<object | undefined> {
    if (!this.#waiting.has(session) || signal.aborted) return undefined;
    const isDecided = await this.#waiting.whenOver(session, signal);
    return isDecided ? this.#hooks.resume?.(decidedMeanwhile) : undefined;
  }

  /** Ends what waits in the session. Returns what the hook of a prompt prints. */
  #endTurn(event: TurnEvent, session: string, { whenSent }: HookCall): object | undefined {
    if (event.kind.endsWith('-end') || event.isTurnOver) {
      this.#waiting.endAll(event.session);
    }
    if (event.kind !== 'turn-end') this.#accepted.delete(session);
    if (event.kind === 'session-end') {
      this.modes.delete(session);
      this.#left.delete(session);
      this.#sessions.close(session);
    }
    const texts = this.#left.get(session);
    if (event.kind !== 'prompt' || texts === undefined) return undefined;
    whenSent(() => this.#left.delete(session));
    return this.#hooks.inform?.(texts.join('\n\n'));
  }

  isWaitingFor(review: Review): boolean {
    return this.#proposals.has(review.proposal);
  }

  leave(session: string, text: string): boolean {
    if (this.#hooks.inform === undefined || !this.modes.has(session)) return false;
    this.#left.set(session, [...(this.#left.get(session) ?? []), text]);
    return true;
  }

  hold(review: Review): HeldRejection | undefined {
    if (!this.isWaitingFor(review) || review.outcome !== undefined) return undefined;
    let settle = (_text: string | undefined): void => {};
    this.#proposals.set(
      review.proposal,
      new Promise((resolve) => {
        settle = resolve;
      }),
    );
    return {
      deny: (text) => {
        settle(text);
        return this.isWaitingFor(review);
      },
      dispose: () => settle(undefined),
    };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#sessions.dispose();
  }

  /** Proposes what the call would write, and resolves to the hook's output after the decisions. */
  async #hold(held: HeldEdit, call: HookCall): Promise<object | undefined> {
    const { event, session, mode } = held;
    const files = await Promise.all(event.edits.map((edit) => this.#look(edit, held)));
    const changes = files.flatMap((each) => each ?? []);
    if (changes.length === 0 || changes.length < files.length) {
      return mode === 'before' && !event.isQuestion ? this.#hooks.deny(event, notShown(event)) : undefined;
    }
    if (changes.every(isNoChange)) return undefined;
    const isOwed = !event.isQuestion || mode === 'follow';
    if (event.isDescription) {
      const isAccepted = changes.every((change) => this.#accepted.take(session, change));
      return isAccepted ? this.#hooks.allow(event, [], undefined) : undefined;
    }
    if (this.#accepted.has(session, changes, { isOwed })) {
      this.#accepted.add(session, changes, { isOwed: false });
      return this.#hooks.allow(event, [], undefined);
    }
    // Its own hook has not held it.
    if (event.isQuestion && mode !== 'follow') return undefined;
    this.#written.forget(event);
    if (!this.#hooks.runBeforeAllCalls) this.#accepted.delete(session, changes);
    const waiting = this.#waiting.begin(event.session, call.signal);
    try {
      const { signal } = waiting;
      const decided = await Promise.all(
        changes.map((change) => this.#decide(change, session, { ...call, signal })),
      );
      return await this.#outputOf(held, changes, decided);
    } catch (error) {
      if (this.#isDisposed || !(error instanceof ToolError)) throw error;
      return this.#hooks.deny(event, `The change was not written. ${error.message}`);
    } finally {
      waiting.end();
    }
  }

  /** Undefined if the tool would refuse the call. */
  async #look(
    { path, from, isDeletion = false, agentChooses, apply }: FileEdit,
    held: HeldEdit,
  ): Promise<Change | undefined> {
    const { now, next } = await this.#next(path, held);
    const source = from === undefined ? { now, next } : await this.#next(from, held);
    const isTaken = from !== undefined && next.kind !== 'missing';
    const change = (file: FileContent, text: string | undefined): Change | undefined =>
      text === undefined || isTaken
        ? undefined
        : { path, now, file, after: text, isRemoved: isDeletion, agentChooses };
    // The call that was to write `next` may have failed.
    return change(next, apply(textIn(source.next))) ?? change(now, apply(textIn(source.now)));
  }

  /** What a file contains now, and what it will contain when the call is carried out. */
  async #next(
    path: Path,
    { event, session }: HeldEdit,
  ): Promise<{ readonly now: FileContent; readonly next: FileContent }> {
    const now = await this.#host.files.read(path);
    const areOthersFirst = this.#hooks.runBeforeAllCalls && !event.isQuestion;
    return { now, next: areOthersFirst ? this.#accepted.next(session, path, now) : now };
  }

  async #decide(
    { path, after: content, isRemoved, agentChooses }: Change,
    session: string,
    { signal, whenSent }: HookCall,
  ): Promise<Decided> {
    const { reviews } = this.#host;
    const agent = this.#agent.identity.id;
    const isDeletion = isRemoved && { isDeletion: true };
    const proposal = { path, content, agent, session, isHeld: true, agentChooses, ...isDeletion };
    this.#proposals.set(proposal, undefined);
    try {
      const opening = reviews.propose(proposal);
      const outcome = await decisionOn(opening, reviews, { signal, whenSent }, () => {
        reviews.withdraw(session, path, 'agent');
      });
      const review = await opening;
      if (outcome.kind === 'accepted') return { review, content: outcome.content };
      return {
        review,
        rejection: (await this.#proposals.get(proposal)) ?? (await this.#rejectionOf(review)),
      };
    } finally {
      this.#proposals.delete(proposal);
    }
  }

  async #outputOf(
    { event, session }: HeldEdit,
    changes: readonly Change[],
    decided: readonly Decided[],
  ): Promise<object | undefined> {
    const rejections = decided.flatMap(({ rejection = [] }) => rejection);
    if (rejections.length > 0) return this.#hooks.deny(event, rejections.join('\n\n'));
    const files = await Promise.all(decided.map((each, at) => this.#toWrite(each, changes[at])));
    const isAsProposed = files.every(({ isCorrected, isFileChanged }) => !isCorrected && !isFileChanged);
    if (files.every(isLeftAsItIs)) {
      return this.#hooks.deny(event, nothingLeft(files.map(({ path }) => this.#label(path))));
    }
    const corrected = files.filter(({ isCorrected }) => isCorrected).map(({ path }) => this.#label(path));
    const note = corrected.length === 0 ? undefined : correctionNote(corrected);
    const output = this.#hooks.allow(event, isAsProposed ? [] : files, note);
    const isOwed = output === undefined && !isAsProposed;
    this.#accepted.add(
      session,
      files.map(({ path, file, acceptedExactly: after, isRemoved }) => ({ path, file, after, isRemoved })),
      { isOwed },
    );
    if (!isOwed) return output;
    const texts = files.map((file) => correctedText(this.#label(file.path), file));
    return this.#hooks.deny(event, texts.join('\n\n'));
  }

  async #toWrite({ review, content = '' }: Decided, change: Change | undefined): Promise<FileToWrite> {
    const { path } = review.proposal;
    const now = await this.#host.files.read(path);
    const isFileChanged = change === undefined || !isSameContent(now, change.now);
    const file = isFileChanged ? now : change.file;
    const present = textIn(file);
    const accepted = plainText(content).text;
    return {
      path,
      file,
      isRemoved: review.removesFile,
      present: present === undefined ? undefined : plainText(present).text,
      accepted,
      presentExactly: present,
      acceptedExactly: content,
      isCorrected: accepted !== plainText(review.proposal.content).text,
      isFileChanged,
    };
  }

  /** What the model receives for a review that was rejected without feedback: the user's comments, if there are any. */
  async #rejectionOf(review: Review): Promise<string> {
    const { path } = review.proposal;
    const label = this.#label(path);
    const quotes = (await this.#host.policy.heldBack(this.#agent.identity, path)) === undefined;
    const comments = composeFeedback({ review, label, quotes });
    return (
      comments ??
      `The user rejected the change to ${label} and gave no reason. The file is unchanged. Do not make this change in another way; ask the user how to continue.`
    );
  }

  #label(path: Path): string {
    return labelIn(this.#host.editor.workspace.folders(), path);
  }
}

/** An edit that is reviewed by its hook. */
interface HeldEdit {
  readonly event: EditEvent;
  /** Our id of its session. */
  readonly session: string;
  readonly mode: HookMode;
}

/** What a call would do to a file. */
interface Change extends FileResult {
  /** What the file contains now, where `file` is what an earlier call will have written. */
  readonly now: FileContent;
  readonly agentChooses: string | undefined;
}

interface Decided {
  readonly review: Review;
  /** The accepted text. */
  readonly content?: string;
  /** What the model receives if the review was rejected. */
  readonly rejection?: string;
}

interface FileToWrite extends DecidedFile {
  readonly file: FileContent;
  readonly isCorrected: boolean;
  readonly isFileChanged: boolean;
}

/** Whether the user wants to review this edit. A connected agent that will ask shows it by its own protocol. */
function isReviewed(event: EditEvent, mode: HookMode, isConnected: boolean): boolean {
  const { agentMode, isQuestion, hasNoDiff } = event;
  const asksElsewhere = isConnected && !isQuestion && !hasNoDiff;
  return mode === 'before' || (mode === 'follow' && agentMode === 'asks' && !asksElsewhere);
}

function textIn(file: FileContent): string | undefined {
  return file.kind === 'text' ? file.text : undefined;
}

function isNoChange({ file, after, isRemoved }: FileResult): boolean {
  return !isRemoved && textIn(file) === after;
}

/** Whether the call has nothing to do with the file any more. */
function isLeftAsItIs({ present, accepted, isRemoved }: DecidedFile): boolean {
  return isRemoved ? present === undefined : present === accepted;
}
