import { Badge, IconButton, joinClasses, Spacer, Toolbar } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { AtSign, EyeOff, FileDiff, Pilcrow, Save, Search, WrapText } from 'lucide-react';
import { useMemo, useSyncExternalStore } from 'react';
import { useShell } from '../app/shell.js';
import { fileName } from '../app/tabList.js';
import { usePageState, usePendingByPath } from '../client/pageContext.js';
import { codePreferences, togglePreference } from '../client/preferences.js';
import type { PageDocument } from '../wire/index.js';
import { noMentions } from './documentCommands.js';
import styles from './documents.module.css';
import { findInDocument } from './useDocumentEditor.js';

interface DocumentBarProps {
  readonly path: string;
  readonly label: string;
  readonly document: PageDocument | undefined;
}

const lineEndNames = { lf: 'LF', crlf: 'CRLF', cr: 'CR', mixed: 'Mixed', none: '' } as const;

/** The path, the cursor position and the tools of a document. */
export function DocumentBar({ path, label, document }: DocumentBarProps) {
  const shell = useShell();
  const wraps = codePreferences(({ wraps }) => wraps);
  const showsWhitespace = codePreferences(({ showsWhitespace }) => showsWhitespace);
  const agents = usePageState((state) => state.agents);
  const obstacle = useMemo(() => {
    const taking = agents.filter(({ takesMentions }) => takesMentions);
    return taking.some(({ sessions }) => sessions.length > 0) ? undefined : noMentions(taking);
  }, [agents]);
  const name = fileName(label);
  return (
    <Toolbar label={`${label}: tools`} className={styles.bar}>
      <p className={styles.label} title={visibleName(path)}>
        <span className="muted truncate">{label.slice(0, -name.length)}</span>
        <strong className="truncate">{name}</strong>
      </p>
      {document?.isReadOnly && <Badge>Read-only</Badge>}
      {document?.heldBack !== undefined && (
        <Badge kind="warning" icon={EyeOff} tip={`Hidden from agents: ${visibleName(document.heldBack)}`}>
          Hidden from agents<span className={styles.optional}>: {visibleName(document.heldBack)}</span>
        </Badge>
      )}
      <Spacer />
      <ProposalButton path={path} />
      <CursorPosition path={path} />
      {document !== undefined && document.lineEnds !== 'none' && (
        <span className={joinClasses('muted small', styles.status)} title="Line endings of the file">
          {lineEndNames[document.lineEnds]}
        </span>
      )}
      {document?.encoding !== undefined && (
        <span className={joinClasses('muted small', styles.status)} title="Encoding of the file">
          {document.encoding}
        </span>
      )}
      <IconButton
        icon={WrapText}
        label="Wrap long lines"
        isPressed={wraps}
        onClick={() => togglePreference('wraps')}
        className={styles.optional}
      />
      <IconButton
        icon={Pilcrow}
        label="Show whitespace"
        isPressed={showsWhitespace}
        onClick={() => togglePreference('showsWhitespace')}
        className={styles.optional}
      />
      <IconButton icon={Search} label="Find" keys="Mod+F" onClick={() => findInDocument(shell, path)} />
      <IconButton
        icon={AtSign}
        label="Mention to agent"
        text="Mention"
        className={styles.mention}
        keys="Alt+M"
        obstacle={obstacle}
        onClick={() => void shell.documentCommands.mention(path)}
      />
      <IconButton
        icon={Save}
        label="Save"
        keys="Mod+S"
        isDisabled={document?.isDirty !== true && document?.isMissing !== true}
        onClick={() => void shell.documentCommands.save(path)}
      />
    </Toolbar>
  );
}

/** Opens the oldest pending proposal for the document. */
function ProposalButton({ path }: { readonly path: string }) {
  const shell = useShell();
  const pending = usePendingByPath().get(path) ?? [];
  const [first] = pending;
  if (first === undefined) return null;
  const text = pending.length === 1 ? 'Proposal' : `${pending.length} proposals`;
  const label = `Review what ${visibleName(first.agentName)} proposes for this file`;
  return (
    <IconButton
      icon={FileDiff}
      label={label}
      text={text}
      onClick={() => shell.openReview(first.id, { takesFocus: true })}
    />
  );
}

/** A separate component, because it renders with every move of the cursor. */
function CursorPosition({ path }: { readonly path: string }) {
  const { editors } = useShell().documentCommands;
  const place = useSyncExternalStore(
    (onChange) => editors.onDidChange((changed) => changed === path && onChange()),
    () => {
      const state = editors.get(path)?.state;
      if (state === undefined) return '';
      const { head, from, to } = state.selection.main;
      const line = state.doc.lineAt(head);
      const selected = to > from ? ` (${to - from} selected)` : '';
      return `Ln ${line.number}, Col ${head - line.from + 1}${selected}`;
    },
  );
  return <span className={joinClasses('muted small numbers', styles.status)}>{place}</span>;
}
