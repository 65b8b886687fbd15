/** What a user does in a terminal. */
export type Input =
  /** `name`: the character, or such as `enter`, `ctrl+c`, `up`, `pagedown`, `shift+tab`. */
  | { readonly kind: 'key'; readonly name: string }
  /** Text that was pasted. */
  | { readonly kind: 'paste'; readonly text: string }
  /** From 0, of the screen. */
  | {
      readonly kind: 'mouse';
      readonly what: 'press' | 'up' | 'down';
      readonly column: number;
      readonly row: number;
    }
  /** The terminal's answer to the question for its background. */
  | { readonly kind: 'background'; readonly colour: string };

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u001b': 'escape',
};

/** The last characters of sequences, and what they mean. */
const finals: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift+tab',
};

const numbered: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};

const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';
/** The escape character, and what ends a report: patterns with these in themselves could not be read. */
const [esc, end] = ['\u001b', '(?:\u0007|\u001b\\\\)'];
const backgroundReport = new RegExp(`^${esc}\\]11;([^\u0007${esc}]*)${end}`);
/** Another report of the terminal. */
const otherReport = new RegExp(`^${esc}[\\]P_^X][^\u0007${esc}]*${end}`);
const keySequence = new RegExp(`^${esc}(?:\\[|O)([<?]?[\\d;]*)([A-Za-z~])`);
const unfinished = new RegExp(`^${esc}(?:[[O][<?]?[\\d;]*|[\\]P_^X][^\u0007]*)?$`);
/** A longer sequence is none: its escape character is dropped. */
const longestSequence = 128;

/** Reads what a terminal sends. A sequence may arrive in parts; `flush` says that no more of it comes. */
export class InputReader {
  #rest = '';

  /** Whether it waits for the rest of a sequence. */
  get isWaiting(): boolean {
    return this.#rest !== '' && !this.#rest.startsWith(pasteStart);
  }

  push(text: string): Input[] {
    this.#rest += text;
    return this.#read(false);
  }

  flush(): Input[] {
    return this.#read(true);
  }

  #read(isWhole: boolean): Input[] {
    const inputs: Input[] = [];
    while (this.#rest !== '') {
      const taken = this.#rest.startsWith('\u001b')
        ? takeSequence(this.#rest, isWhole)
        : takeCharacter(this.#rest);
      if (taken === undefined) break;
      this.#rest = this.#rest.slice(taken.length);
      if (taken.input !== undefined) inputs.push(taken.input);
    }
    return inputs;
  }
}

interface Taken {
  readonly length: number;
  readonly input?: Input | undefined;
}

function takeCharacter(text: string): Taken {
  const point = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const code = point.charCodeAt(0);
  const control = controls[point];
  if (control !== undefined) return { length: 1, input: { kind: 'key', name: control } };
  if (code < 0x20)
    return { length: 1, input: { kind: 'key', name: `ctrl+${String.fromCharCode(code + 0x60)}` } };
  return { length: point.length, input: { kind: 'key', name: point } };
}

/** `undefined`: more of it has to arrive. */
function takeSequence(text: string, isWhole: boolean): Taken | undefined {
  if (text.startsWith(pasteStart)) {
    const end = text.indexOf(pasteEnd);
    if (end < 0) return undefined;
    return {
      length: end + pasteEnd.length,
      input: { kind: 'paste', text: text.slice(pasteStart.length, end) },
    };
  }
  const [report, colour] = backgroundReport.exec(text) ?? [];
  if (report !== undefined && colour !== undefined)
    return { length: report.length, input: { kind: 'background', colour } };
  const [skipped] = otherReport.exec(text) ?? [];
  if (skipped !== undefined) return { length: skipped.length };
  const sequence = keySequence.exec(text);
  if (sequence !== null) {
    const [whole, parameters = '', final = ''] = sequence;
    return { length: whole.length, input: readSequence(parameters, final) };
  }
  const mayGoOn = unfinished.test(text) && text.length < longestSequence;
  if (mayGoOn && !isWhole) return undefined;
  return { length: 1, input: text.length === 1 || isWhole ? { kind: 'key', name: 'escape' } : undefined };
}

function readSequence(parameters: string, final: string): Input | undefined {
  if (parameters.startsWith('<')) return readMouse(parameters.slice(1), final);
  const name = final === '~' ? numbered[parameters.split(';')[0] ?? ''] : finals[final];
  return name === undefined ? undefined : { kind: 'key', name };
}

/** The encoding that is called SGR. */
function readMouse(parameters: string, final: string): Input | undefined {
  const [button = 0, column = 0, row = 0] = parameters.split(';').map(Number);
  const what =
    button === 64 ? 'up' : button === 65 ? 'down' : button === 0 && final === 'M' ? 'press' : undefined;
  return what && { kind: 'mouse', what, column: column - 1, row: row - 1 };
}
