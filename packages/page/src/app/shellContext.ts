import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Shell } from './shell.js';
import type { Tab } from './tabList.js';

export const ShellContext = createContext<Shell | undefined>(undefined);

export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (shell === undefined) throw new Error('A part of the frame is used outside of it.');
  return shell;
}

export function useActiveTab(): Tab | undefined {
  return useStore(useShell().tabs.state, ({ tabs, active }) => tabs.find(({ key }) => key === active));
}
