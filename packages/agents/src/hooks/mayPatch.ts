/** Whether a shell command applies a patch, perhaps among other things. */
export function mayPatch(command: string): boolean {
  return /apply_?patch/.test(command) && command.includes('*** Begin Patch');
}
