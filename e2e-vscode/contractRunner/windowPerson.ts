import type { Diagnostic, Path, Range, Review } from '@tandem/core';
import type { EditorPerson } from '@tandem/core/testing';
import * as vscode from 'vscode';

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
} as const satisfies Record<Diagnostic['severity'], vscode.DiagnosticSeverity>;

/** A person at this window, with VS Code's own API for hands. `shown`: the reviews that the editor was given. */
export function windowPerson(
  shown: ReadonlySet<Review>,
  diagnostics: vscode.DiagnosticCollection,
): EditorPerson {
  return {
    async focus(path) {
      await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    },
    async select(path, range) {
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
      editor.selection = new vscode.Selection(toRange(range).start, toRange(range).end);
    },
    type: (path, text) => replaceText(vscode.Uri.file(path), text),
    async close(path) {
      await vscode.window.tabGroups.close(tabsOf(path));
    },
    setDiagnostics(path, found) {
      diagnostics.set(vscode.Uri.file(path), found.map(toDiagnostic));
    },
    reviewsInView: () => [...shown].filter((review) => documentOf(review) !== undefined),
    async edit(review, text) {
      const uri = documentOf(review);
      if (uri === undefined) throw new Error(`no tab shows the review of ${review.proposal.path}`);
      await replaceText(uri, text);
      if (review.content === text) return;
      // The extension waits for a pause in the typing.
      await new Promise<void>((resolve) => {
        const listener = review.onDidChange(() => {
          listener.dispose();
          resolve();
        });
      });
    },
    accept: (review) => decide(review, 'tandem.review.accept'),
    reject: (review) => decide(review, 'tandem.review.reject'),
  };
}

/** Brings the review to the front and runs the command that stands behind its button. */
async function decide(review: Review, command: string): Promise<void> {
  const uri = documentOf(review);
  if (uri === undefined) throw new Error(`no tab shows the review of ${review.proposal.path}`);
  await vscode.commands.executeCommand(command, uri);
}

/** The right side of the tab that shows a review. */
function documentOf(review: Review): vscode.Uri | undefined {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  return inputs
    .filter((input) => input instanceof vscode.TabInputTextDiff)
    .map(({ modified }) => modified)
    .find(({ query }) => query === `review=${review.id}`);
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
