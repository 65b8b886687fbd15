const heredoc = /^\s*apply_?patch\s*<<\s*(['"]?)(\w+)\1\n/;

/** The patch that a shell command applies, if it does nothing else. Codex CLI then applies it itself, as it is. */
export function shellPatch(command: string): string | undefined {
  const [head, , word] = heredoc.exec(command) ?? [];
  const lines = command.slice(head?.length).trimEnd().split('\n');
  const isAll = head !== undefined && lines.indexOf(word ?? '') === lines.length - 1;
  return isAll ? lines.slice(0, -1).join('\n') : undefined;
}

/** The shell command that applies this patch alone; undefined if the patch cannot be in one. */
export function patchCommand(patch: string): string | undefined {
  const command = `apply_patch <<'EOF'\n${patch.trimEnd()}\nEOF\n`;
  return shellPatch(command) === patch.trimEnd() ? command : undefined;
}
