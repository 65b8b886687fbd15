import { runEditorContract } from '@tandem/testing';
import { runVscodeContract } from '../../hosts/vscode/test/support/vscodeContract.js';
import { contractPlays } from './contractPlays.js';
import { editorUnderContract } from './editorUnderContract.js';

/** The address that receives the result of each test. The contract runs only if it is set. */
const reportUrl = process.env.TANDEM_CONTRACT_REPORT;

/** A wait in the contract takes at most five seconds, and a test has several. */
const limit = 20_000;

/** Runs the whole contract, one test after the other, and reports each result. */
export async function activate(): Promise<void> {
  if (reportUrl === undefined) return;
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  try {
    const makeEditor = await editorUnderContract();
    runEditorContract(makeEditor, (name, run) => tests.push({ name, run }), contractPlays);
    runVscodeContract((name, run) => tests.push({ name, run }));
  } catch (error) {
    await report({ name: 'start', error: textOf(error) });
    return;
  }
  // Not awaited: VS Code would report that the extension takes too long to activate.
  void runAll(tests);
}

async function runAll(tests: readonly { name: string; run: () => Promise<void> }[]): Promise<void> {
  for (const { name, run } of tests) {
    const startedAt = Date.now();
    const error = await withTimeout(run()).then(() => undefined, textOf);
    await report({ name, milliseconds: Date.now() - startedAt, ...(error !== undefined && { error }) });
  }
}

/** A test that never ends must not block the others. */
async function withTimeout(test: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${limit} ms`)), limit);
  });
  try {
    await Promise.race([test, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function report(result: Readonly<Record<string, unknown>>): Promise<void> {
  await fetch(reportUrl ?? '', { method: 'POST', body: JSON.stringify(result) });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
