import { changeWords } from '@tandem/reviews';
import type { ChangeSelection, HunkChoice } from '@tandem/rpc';
import { useCallback } from 'react';
import { useShell } from '../app/shell.js';
import { askAsNeeded } from '../review/askAsNeeded.js';

/** Keeps changes, after a question if they are in several files, or lets kept ones wait again. */
export type Keep = (selection: ChangeSelection & HunkChoice, isKept?: boolean) => Promise<void>;

/** What keeps changes. Always the same, so that the files are not drawn again. */
export function useKeeping(): Keep {
  const shell = useShell();
  return useCallback<Keep>(
    async (selection, isKept = true) => {
      const { notices, services } = shell;
      const keep: Keep = async (which, keeps) => {
        try {
          const kept = await askAsNeeded(shell, (answer) =>
            services.host.request('changes.keep', { ...which, isKept: keeps, ...answer }),
          );
          const ids = kept?.files.flatMap((file) => file.ids) ?? [];
          if (kept === undefined) return;
          notices.show({
            key: 'kept',
            kind: ids.length > 0 ? 'good' : 'info',
            text: kept.note,
            ...(ids.length > 0 && {
              action: {
                label: keeps ? changeWords.again : changeWords.keep,
                run: () => void keep({ ids }, !keeps),
              },
            }),
            staysMs: 15_000,
          });
        } catch (error) {
          notices.failure(keeps ? 'Not kept' : 'Not changed', error);
        }
      };
      await keep(selection, isKept);
    },
    [shell],
  );
}
