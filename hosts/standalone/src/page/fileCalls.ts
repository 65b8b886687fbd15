import type { PageApiServices, PageCalls } from './pageApi.js';
import { listAllFiles, listFolder } from './workspaceTree.js';

/** What lies in the workspace. */
export function fileCalls({
  companion,
  paths,
  values,
  folders,
  ignore,
}: PageApiServices): Pick<PageCalls, 'files.list' | 'files.all'> {
  const workspaceFolders = () => companion.editor.workspace.folders();
  let listing: ReturnType<typeof listAllFiles> | undefined;
  return {
    'files.list': async ({ folder: asked }) => {
      const folder = await paths.require(asked);
      const entries = await listFolder(folder, workspaceFolders(), ignore());
      folders.follow(folder, entries);
      const held = await values.heldBack(
        entries.flatMap(({ path, kind }) => (kind === 'file' ? [path] : [])),
      );
      return {
        entries: entries.map((entry) => {
          const heldBack = held.get(entry.path);
          return { ...entry, ...(heldBack !== undefined && { heldBack }) };
        }),
      };
    },
    'files.all': async () => {
      // Several pages that ask at once get one answer.
      listing ??= listAllFiles(workspaceFolders(), { ignore: ignore() }).finally(() => {
        listing = undefined;
      });
      const { files, isTruncated } = await listing;
      return { files: files.map((path) => ({ path, label: paths.label(path) })), isTruncated };
    },
  };
}
