import type { PageHandlers, PageServices } from './pageServices.js';
import { listAllFiles, listFolder } from './workspaceTree.js';

/** Calls about the files of the workspace, and what agents see of them. */
export function workspaceCalls({
  companion,
  paths,
  values,
  folders,
  ignore,
}: PageServices): Pick<PageHandlers, 'files.list' | 'files.all' | 'mention'> {
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
      // Concurrent calls share one listing.
      listing ??= listAllFiles(workspaceFolders(), { ignore: ignore() }).finally(() => {
        listing = undefined;
      });
      const { files, isTruncated } = await listing;
      return { files: files.map((path) => ({ path, label: paths.label(path) })), isTruncated };
    },
    mention: async ({ path, lines }) => {
      return { count: await companion.agents.mention(await paths.require(path), lines) };
    },
  };
}
