import { IconButton, joinClasses } from '@tandem/chat-panel/primitives';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShell } from '../app/shell.js';
import styles from './agents.module.css';

const confirmedMs = 2_000;

/** A command for the terminal, and the button that copies it. */
export function CopyCommand({ command }: { readonly command: string }) {
  const { notices } = useShell();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = window.setTimeout(() => setCopied(false), confirmedMs);
    return () => window.clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command);
      setCopied(true);
      notices.announce(`Copied ${command}`);
    } catch (error) {
      notices.failure('The command was not copied. Select it, and copy it with the keyboard', error);
    }
  };
  return (
    <div className={joinClasses('line', styles.command)}>
      <code className="grow">{command}</code>
      <IconButton
        icon={isCopied ? Check : Copy}
        label={`${isCopied ? 'Copied' : 'Copy'} the command ${command}`}
        text={isCopied ? 'Copied' : 'Copy'}
        onClick={() => void copy()}
      />
    </div>
  );
}

/** Says how many sessions of an agent did not reconnect after a restart, and introduces the command to type. */
export function lostText(name: string, count: number): string {
  return count === 1
    ? `${name} has not reconnected since the restart. If it is still running, type this in it:`
    : `${count} sessions of ${name} have not reconnected since the restart. If they are still running, type this in each:`;
}
