/**
 * The hooks of opencode and Kilo CLI: a plugin in their own process. It asks a companion about an edit, waits for the user, and
 * applies the answer. Without a companion it does nothing, except where the user chose that each edit is reviewed. A bundle of its
 * own, without dependencies.
 */
import { type CallAnswer, pluginCompanion, replaceArguments } from './pluginCompanion.js';

/** What the plugin uses of its host. */
interface Host {
  readonly client: {
    /** The client of the server, under the public one, which cannot send a message with an answer. */
    readonly _client: { post(request: object): Promise<unknown> };
  };
  readonly directory: string;
}

/** Given in the configuration beside the plugin's address. */
interface Options {
  readonly agent: string;
  /** The names of the tools that change files. */
  readonly tools: readonly string[];
  /** Of a plugin that was added for good: which edits wait, and where; see `Installed`. */
  readonly mode?: string;
  readonly folders?: readonly string[];
}

interface Call {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

interface Arguments {
  readonly args: Record<string, unknown>;
}

/** What the user sent. `synthetic`: a part that the agent has added. */
interface Prompt {
  readonly parts: readonly { readonly text?: string; readonly synthetic?: boolean }[];
}

interface Event {
  readonly type: string;
  readonly properties: {
    readonly sessionID?: string;
    /** Of a question; in the event of its answer `requestID`. */
    readonly id?: string;
    readonly requestID?: string;
    readonly permission?: string;
    /** The call that the question is about. */
    readonly tool?: { readonly callID: string };
    readonly status?: { readonly type: string };
    /** The session that was created. */
    readonly info?: { readonly id: string; readonly parentID?: string };
  };
}

/** One turn of a session of the agent. */
class Turn {
  /** Ends what waits when the turn ends: a call that went on after an interrupt would still write. */
  readonly end = new AbortController();
  /** The calls on which the user has decided. */
  readonly decided = new Map<string, CallAnswer>();
  /** The others: what to ask the companion if the agent asks about one. */
  readonly undecided = new Map<string, object>();
  /** The questions of the agent that the companion also shows. */
  readonly questions = new Map<string, AbortController>();
}

/** The plugin. Its calls wait where each edit is reviewed. Otherwise they go on, and the agent's questions about them wait. */
export async function tandem({ client, directory }: Host, options: Options): Promise<object> {
  const { agent, tools, mode, folders = [] } = options;
  const companion = pluginCompanion(agent, directory, mode === undefined ? undefined : { mode, folders });
  if (companion === undefined) return {};
  const turns = new Map<string, Turn>();
  /** Sessions that the agent began itself, in a turn of the user's. */
  const inner = new Set<string>();

  async function reply(requestID: string, answer: CallAnswer): Promise<void> {
    const body = answer.deny === undefined ? { reply: 'once' } : { reply: 'reject', message: answer.deny };
    const url = '/permission/{requestID}/reply';
    const headers = { 'content-type': 'application/json' };
    // If it fails, the question stays, and the user answers it in the terminal.
    await client._client.post({ url, path: { requestID }, body, headers }).catch(() => undefined);
  }

  async function answerQuestion(turn: Turn, question: string, call: string): Promise<void> {
    const decided = turn.decided.get(call);
    if (decided !== undefined) return reply(question, decided);
    const input = turn.undecided.get(call);
    if (input === undefined) return;
    const answered = new AbortController();
    turn.questions.set(question, answered);
    const signal = AbortSignal.any([turn.end.signal, answered.signal]);
    const answer = await companion?.ask({ ...input, isAsked: true }, signal);
    if (answer !== undefined && !signal.aborted) await reply(question, answer);
  }

  return {
    'chat.message': async ({ sessionID }: Pick<Call, 'sessionID'>, { parts }: Prompt) => {
      if (inner.has(sessionID)) return;
      turns.set(sessionID, turns.get(sessionID) ?? new Turn());
      const prompt = parts.flatMap(({ text = [], synthetic }) => (synthetic ? [] : text)).join('\n');
      await companion.prompt({ session: sessionID, isPrompt: true, prompt });
    },

    'tool.execute.before': async ({ tool, sessionID, callID }: Call, { args }: Arguments) => {
      const input = { session: sessionID, call: callID, folder: directory, tool, args };
      if (tool === commandTool) await companion.tell(input);
      if (!tools.includes(tool)) return;
      const turn = turns.get(sessionID) ?? new Turn();
      turns.set(sessionID, turn);
      const { signal } = turn.end;
      const answer = await companion.ask(input, signal);
      if (answer?.deny !== undefined) throw new Error(answer.deny);
      if (signal.aborted) throw new Error('The turn has ended.');
      if (answer === undefined) turn.undecided.set(callID, input);
      else turn.decided.set(callID, answer);
      if (answer?.args !== undefined) replaceArguments(args, answer.args);
    },

    'tool.execute.after': async (
      { tool, sessionID, callID, args }: Call & Arguments,
      result: { output: string },
    ) => {
      if (tool === commandTool) {
        const input = { session: sessionID, call: callID, folder: directory, tool, args };
        await companion.tell({ ...input, isWritten: true });
      }
      const turn = turns.get(sessionID);
      const note = turn?.decided.get(callID)?.note;
      if (note !== undefined) result.output += `\n\n${note}`;
      const written = turn?.undecided.get(callID);
      if (written !== undefined) await companion.ask({ ...written, isWritten: true }, turn?.end.signal);
    },

    event: async ({ event: { type, properties } }: { readonly event: Event }) => {
      const { sessionID = '', id = '', requestID = '', permission, tool, status, info } = properties;
      if (type === 'session.created' && info?.parentID !== undefined) inner.add(info.id);
      const turn = turns.get(sessionID);
      if (turn === undefined) return;
      // A question about the folder of a file stays.
      if (type === 'permission.asked' && permission === 'edit')
        await answerQuestion(turn, id, tool?.callID ?? '');
      if (type === 'permission.replied') turn.questions.get(requestID)?.abort();
      if (endings.includes(type) || (type === 'session.status' && status?.type === 'idle')) {
        turn.end.abort();
        turns.delete(sessionID);
        if (!inner.has(sessionID)) await companion.tell({ session: sessionID, isTurnEnd: true });
      }
    },
  };
}

/** The tool that runs a command, which may change any file. */
const commandTool = 'bash';

const endings = ['session.idle', 'session.error', 'session.deleted'];
