import { readFileSync } from 'node:fs';
import { statFields } from './discovery/processStart.js';

/** The terminal of a process, as Linux reports it. */
export interface ProcessTerminal {
  /** The terminal's file, such as `/dev/pts/3`. */
  readonly tty: string;
  /** Whether what is typed there reaches the process: it is in the foreground of its terminal, and not suspended. */
  readonly isForeground: boolean;
  /** The process, its parent, and so on, as far as they are in this terminal. */
  readonly pids: readonly number[];
  /** The socket of the tmux server that the process was started in, as its environment names it. */
  readonly tmuxSocket?: string;
}

/** A pseudo-terminal's device has one of these major numbers, each for 256 terminals. */
const firstMajor = 136;
const lastMajor = 143;

/** The terminal of a process of this user. Undefined if it has none, or outside Linux. */
export function terminalOf(pid: number): ProcessTerminal | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const [state, , group, , device = 0, foreground] = statOf(pid);
    const major = (device >> 8) & 0xfff;
    const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
    if (major < firstMajor || major > lastMajor) return undefined;
    const tmuxSocket = tmuxSocketOf(pid);
    return {
      tty: `/dev/pts/${(major - firstMajor) * 256 + minor}`,
      isForeground: group === foreground && state === 0,
      pids: ancestorsOf(pid, device),
      ...(tmuxSocket !== undefined && { tmuxSocket }),
    };
  } catch {
    return undefined;
  }
}

/** Whether it is stopped (0: no), its parent, process group, session, terminal, and that terminal's foreground group. */
function statOf(pid: number): readonly number[] {
  const [state = '', ...fields] = statFields(pid);
  return [/[TtZX]/.test(state) ? 1 : 0, ...fields.slice(0, 5).map(Number)];
}

function ancestorsOf(pid: number, device: number): readonly number[] {
  const pids: number[] = [];
  for (let each = pid; each > 1 && !pids.includes(each); ) {
    const [, parent = 0, , , terminal] = statOf(each);
    if (terminal !== device) break;
    pids.push(each);
    each = parent;
  }
  return pids;
}

function tmuxSocketOf(pid: number): string | undefined {
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const tmux = variables.find((each) => each.startsWith('TMUX='))?.slice('TMUX='.length);
  const socket = tmux?.split(',')[0];
  return socket?.startsWith('/') ? socket : undefined;
}
