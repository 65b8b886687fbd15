import type { Diagnostic, Path, Range } from '@tandem/core';
import type { Review } from '@tandem/reviews';
import type { EditorUser } from '@tandem/testing';
import * as vscode from 'vscode';

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
} as const satisfies Record<Diagnostic['severity'], vscode.DiagnosticSeverity>;

/** A review that the extension shows, and the document on the right side of its diff. */
export interface ShownReview {
  readonly review: Review;
  readonly sides: { readonly proposal: vscode.Uri };
}

/** A user of this window, simulated with VS Code's API. `shown` returns the reviews that the editor shows. */
export function windowUser(
  shown: () => readonly ShownReview[],
  diagnostics: vscode.DiagnosticCollection,
): EditorUser {
  return {
    async focus(path) {
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { preview: false });
    },
    async select(path, range) {
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
      editor.selection = new vscode.Selection(toRange(range).start, toRange(range).end);
    },
    type: (path, text) => replaceText(vscode.Uri.file(path), text),
    async save(path) {
      await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
      await vscode.commands.executeCommand('workbench.action.files.save');
    },
    async close(path) {
      await vscode.window.tabGroups.close(tabsOf(path));
    },
    setDiagnostics(path, found) {
      diagnostics.set(vscode.Uri.file(path), found.map(toDiagnostic));
    },
    reviewsInView: () =>
      shown()
        .filter(hasTab)
        .map(({ review }) => review),
    async edit(review, text) {
      await replaceText(documentOf(shown(), review), text);
      if (review.content === text) return;
      // The extension waits for a pause in typing.
      await new Promise<void>((resolve) => {
        const listener = review.onDidChange(() => {
          listener.dispose();
          resolve();
        });
      });
    },
    // The commands behind the buttons in the title bar, which VS Code calls with the document.
    async accept(review) {
      await vscode.commands.executeCommand('tandem.acceptReview', documentOf(shown(), review));
    },
    async reject(review) {
      await vscode.commands.executeCommand('tandem.rejectReview', documentOf(shown(), review));
    },
  };
}

function documentOf(shown: readonly ShownReview[], review: Review): vscode.Uri {
  const one = shown.find((each) => each.review === review);
  if (one === undefined) throw new Error(`the review of ${review.proposal.path} is not shown`);
  return one.sides.proposal;
}

function hasTab({ sides }: ShownReview): boolean {
  const wanted = sides.proposal.toString();
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === wanted);
}

function tabsOf(path: Path): vscode.Tab[] {
  const wanted = vscode.Uri.file(path).toString();
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === wanted);
}

async function replaceText(uri: vscode.Uri, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const change = new vscode.WorkspaceEdit();
  const end = document.lineAt(document.lineCount - 1).range.end;
  change.replace(uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  if (!(await vscode.workspace.applyEdit(change))) throw new Error(`${uri.path} could not be typed into`);
}

function toDiagnostic({ message, severity, range, source, code }: Diagnostic): vscode.Diagnostic {
  const made = new vscode.Diagnostic(toRange(range), message, severities[severity]);
  if (source !== undefined) made.source = source;
  if (code !== undefined) made.code = code;
  return made;
}

function toRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
