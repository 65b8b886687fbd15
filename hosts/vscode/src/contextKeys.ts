import * as vscode from 'vscode';

/** Sets a context key, on which menus and keybindings of the manifest depend, whenever its value changes. */
export function contextKey(name: string): (value: unknown) => void {
  let shown: unknown;
  return (value) => {
    if (value === shown) return;
    shown = value;
    void vscode.commands.executeCommand('setContext', name, value);
  };
}
