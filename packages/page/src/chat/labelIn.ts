/** A path as a person reads it: below its folder, with the folder's name where there are several. */
export function labelIn(
  folders: readonly { readonly path: string; readonly name: string }[],
  path: string,
): string {
  const folder = folders.find(
    (each) => path.startsWith(`${each.path}/`) || path.startsWith(`${each.path}\\`),
  );
  if (folder === undefined) return path;
  const below = path.slice(folder.path.length + 1);
  return folders.length > 1 ? `${folder.name}/${below}` : below;
}
