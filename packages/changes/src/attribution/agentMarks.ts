/** When a path changed. Times are Unix times in milliseconds, by the clock of the file system. */
export interface ChangeTime {
  /** The path was still as before at this time. */
  readonly notBefore: number;
  /** The last write or change of its metadata; undefined if the path was removed. */
  readonly changedAt: number | undefined;
  /** When the change was seen. */
  readonly seenAt: number;
}

/** An agent, and its session. */
export interface Author {
  /** The agent's id, such as `claude`. */
  readonly agent: string;
  readonly session: string;
}

/**
 * Who changed a file, as far as the marks of agents show it. `command`: it changed while a command of the session ran. Another
 * program may have written meanwhile. `turn`: it changed during a turn of the session, and perhaps something else wrote it.
 */
export type Attribution = Author &
  (
    | { readonly evidence: 'command'; readonly commands: readonly string[] }
    | { readonly evidence: 'turn'; readonly commands?: undefined }
  );

/** A time in which an agent worked. */
interface Span extends Author {
  readonly beganAt: number;
  endedAt: number | undefined;
  /** Until when it counts without its end, which an interrupted agent does not report. */
  expiresAt: number;
}

interface Command extends Span {
  readonly id: string;
  readonly text: string;
  /** Its turn has ended without its own end: it was interrupted, and what came after that is perhaps the user's. */
  isLost: boolean;
}

/** A turn or a command of which nothing was heard for this long has ended. */
const silenceMs = 10 * 60_000;
/** A removal has no time of its own: it was seen at most this long after the end of its command. */
const removalMs = 250;
/** Of turns and of commands, this many are remembered. */
const remembered = 1_000;

/** The turns and the commands of agents, by which changes of files are attributed. Does no I/O, and reads no clock. */
export class AgentMarks {
  readonly #turns: Span[] = [];
  readonly #commands: Command[] = [];

  /** A turn of the session begins. It ends an earlier one. */
  beginTurn(author: Author, at: number): void {
    this.endTurn(author.session, at);
    add(this.#turns, { ...author, beganAt: at, endedAt: undefined, expiresAt: at + silenceMs });
  }

  /** Ends the turn of a session with all its commands. */
  endTurn(session: string, at: number): void {
    const end = (span: Span): void => {
      span.endedAt ??= Math.min(at, span.expiresAt);
    };
    for (const turn of this.#turns) if (turn.session === session) end(turn);
    for (const command of this.#commands) {
      if (command.session !== session || command.endedAt !== undefined) continue;
      end(command);
      command.isLost = true;
    }
  }

  /**
   * A command is about to run. `at`: when the look at all files began after which it runs. A change that was not there at that
   * look was made since. `id` names the command among those of its session.
   */
  beginCommand(author: Author, id: string, text: string, at: number): void {
    this.#touch(author.session, at);
    const expiresAt = at + silenceMs;
    add(this.#commands, { ...author, id, text, beganAt: at, endedAt: undefined, expiresAt, isLost: false });
  }

  /** A command has ended. */
  endCommand(session: string, id: string, at: number): void {
    this.#touch(session, at);
    const command = this.#commands.findLast((each) => each.session === session && each.id === id);
    if (command !== undefined) command.endedAt ??= at;
  }

  /** Whether a change that is seen now could be attributed to some agent. */
  hasOpenSpan(at: number): boolean {
    return [...this.#turns, ...this.#commands].some((span) => at <= endOf(span));
  }

  /** Undefined if no agent is known to have worked when the path changed, or if several did. */
  attribute(change: ChangeTime): Attribution | undefined {
    const commands = this.#commands.filter((command) => !command.isLost && isWithin(change, command));
    const during = oneOf(commands);
    if (during !== undefined) {
      const { agent, session } = during;
      return { agent, session, evidence: 'command', commands: commands.map(({ text }) => text) };
    }
    const changedAt = change.changedAt ?? change.seenAt;
    const turn = oneOf(this.#turns.filter((span) => span.beganAt <= changedAt && changedAt <= endOf(span)));
    return turn && { agent: turn.agent, session: turn.session, evidence: 'turn' };
  }

  #touch(session: string, at: number): void {
    const turn = this.#turns.findLast((span) => span.session === session && span.endedAt === undefined);
    if (turn !== undefined) turn.expiresAt = at + silenceMs;
  }
}

/**
 * Whether a path changed only while a command ran: it was as before at the look before the command, and at no look after its end. The
 * time of a change alone does not say that: many file systems round it down to some milliseconds.
 */
function isWithin({ notBefore, changedAt, seenAt }: ChangeTime, command: Command): boolean {
  const end = endOf(command);
  const hasEndedBefore = changedAt === undefined ? seenAt - removalMs > end : changedAt > end;
  return command.beganAt <= notBefore && notBefore < end && !hasEndedBefore;
}

function endOf({ endedAt, expiresAt }: Span): number {
  return endedAt ?? expiresAt;
}

/** The one session of some spans; undefined if there are several or none. */
function oneOf<T extends Span>(spans: readonly T[]): T | undefined {
  const [first] = spans;
  return spans.every(({ session }) => session === first?.session) ? first : undefined;
}

function add<T extends Span>(spans: T[], span: T): void {
  spans.push(span);
  if (spans.length > remembered) spans.shift();
}
