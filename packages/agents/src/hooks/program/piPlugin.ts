/**
 * The hooks of pi: an extension in its own process. It reports the turns to a companion, asks it about an edit, waits for the user, and
 * applies the answer. Without a companion it does nothing, except where the user chose that each edit is reviewed. A bundle of
 * its own, without dependencies.
 */
import { homedir } from 'node:os';
import { type CallAnswer, type Installed, pluginCompanion, replaceArguments } from './pluginCompanion.js';

/** What the extension uses of pi. */
interface Host {
  on(
    event: 'before_agent_start',
    handler: (event: Prompted, site: Site) => Promise<Injected | undefined>,
  ): void;
  on(event: 'tool_call', handler: (call: Call, site: Site) => Promise<Blocked | undefined>): void;
  on(event: 'tool_result', handler: (result: Result, site: Site) => Promise<Changed | undefined>): void;
  on(event: 'session_shutdown', handler: (event: Shutdown, site: Site) => Promise<void>): void;
  on(event: 'session_start' | 'agent_settled', handler: (event: object, site: Site) => Promise<void>): void;
}

interface Prompted {
  readonly prompt: string;
}

interface Shutdown {
  readonly reason: string;
}

interface Site {
  readonly cwd: string;
  readonly sessionManager: { getSessionId(): string };
  /** Aborts when the user interrupts the turn. */
  readonly signal?: AbortSignal;
}

interface Call {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: Record<string, unknown>;
}

interface Result extends Call {
  readonly content: readonly object[];
  readonly isError: boolean;
}

interface Injected {
  readonly message: { readonly customType: string; readonly content: string; readonly display: boolean };
}

interface Blocked {
  readonly block: true;
  readonly reason: string;
}

interface Changed {
  readonly content: readonly object[];
}

/** The tools that change files. */
const tools = ['edit', 'write'];
/** The one that runs a command, which may change any. */
const commandTool = 'bash';

/** The extension. `installed`: if it was added for good. */
// biome-ignore lint/style/noDefaultExport: pi calls it.
export default function tandem(pi: Host, installed?: Installed): void {
  const companion = pluginCompanion('pi', process.cwd(), installed);
  if (companion === undefined) return;
  /** The calls of a turn that go on, until they have a result. Undefined: the user has not decided. */
  const calls = new Map<string, CallAnswer | undefined>();

  const describe = (event: string, { toolCallId: call, toolName: tool, input: args }: Call, site: Site) => ({
    event,
    session: site.sessionManager.getSessionId(),
    call,
    tool,
    args,
    folder: site.cwd,
    home: homedir(),
  });
  const of = (event: string, site: Site) => ({ event, session: site.sessionManager.getSessionId() });
  const tell = (event: string, site: Site) => companion.tell(of(event, site));

  pi.on('session_start', async (_event, site) => void (await tell('session_start', site)));
  pi.on('agent_settled', async (_event, site) => {
    calls.clear();
    await tell('agent_settled', site);
  });
  pi.on('session_shutdown', async ({ reason }, site) => {
    // After `/reload` the session goes on.
    if (reason !== 'reload') await tell('session_shutdown', site);
  });

  pi.on('before_agent_start', async ({ prompt }, site) => {
    const { inform } = await companion.prompt({ ...of('before_agent_start', site), prompt });
    if (inform === undefined) return undefined;
    return { message: { customType: 'tandem', content: inform, display: true } };
  });

  pi.on('tool_call', async (call, site) => {
    if (call.toolName === commandTool) await companion.tell(describe('tool_call', call, site));
    if (!tools.includes(call.toolName)) return undefined;
    const answer = await companion.ask(describe('tool_call', call, site), site.signal);
    if (answer?.deny !== undefined) return { block: true, reason: answer.deny };
    calls.set(call.toolCallId, answer);
    if (answer?.args !== undefined) replaceArguments(call.input, answer.args);
    return undefined;
  });

  pi.on('tool_result', async (result, site) => {
    const { toolCallId, content, isError } = result;
    if (result.toolName === commandTool) await companion.tell(describe('tool_result', result, site));
    if (!calls.has(toolCallId)) return undefined;
    const answer = calls.get(toolCallId);
    calls.delete(toolCallId);
    if (answer === undefined && !isError) await companion.tell(describe('tool_result', result, site));
    if (answer?.note === undefined) return undefined;
    return { content: [...content, { type: 'text', text: answer.note }] };
  });
}
