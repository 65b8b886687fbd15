import { createStore } from 'zustand/vanilla';

interface ChangesMemory {
  /** The stamps of the contents that the user marked as viewed, by path. */
  readonly viewed: Readonly<Record<string, string>>;
  /** Files that the user opened or closed, by path; the others are open until they are viewed. */
  readonly isOpen: Readonly<Record<string, boolean>>;
}

/** What this browser tab remembers of the changes of sessions. */
export const changesMemory = createStore<ChangesMemory>(() => ({ viewed: {}, isOpen: {} }));

/** Marks these contents of a file as viewed, which closes it; without a stamp, as not viewed. */
export function markViewed(path: string, stamp: string | undefined): void {
  changesMemory.setState(({ viewed, isOpen }) => {
    const { [path]: _viewed, ...otherViewed } = viewed;
    const { [path]: _open, ...otherOpen } = isOpen;
    return {
      viewed: stamp === undefined ? otherViewed : { ...otherViewed, [path]: stamp },
      isOpen: otherOpen,
    };
  });
}

/** Opens or closes files. */
export function setOpen(paths: readonly string[], open: boolean): void {
  changesMemory.setState(({ isOpen }) => ({
    isOpen: { ...isOpen, ...Object.fromEntries(paths.map((path) => [path, open])) },
  }));
}
