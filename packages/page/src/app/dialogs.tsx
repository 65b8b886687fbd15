import { Button, Dialog, ErrorBoundary, joinClasses, KeyHint, Spacer } from '@tandem/chat-panel/primitives';
import { visibleName } from '@tandem/core';
import { useStore } from 'zustand';
import type { CloseChoice } from '../documents/documentCommands.js';
import { QuickOpen } from '../files/quickOpen.js';
import { reviewKeys } from '../review/reviewWords.js';
import styles from './frame.module.css';
import { SettingsDialog } from './settingsDialog.js';
import { useShell } from './shell.js';
import { shellKeys } from './shellKeys.js';
import type { ShellDialog } from './shellState.js';
import { fileName } from './tabList.js';

/** The dialog that is open, if any. */
export function Dialogs() {
  const shell = useShell();
  const dialog = useStore(shell.state, (state) => state.dialog);
  const close = (): void => shell.closeDialog();
  return (
    <ErrorBoundary name="This dialog">
      {dialog?.kind === 'quick-open' && <QuickOpen onClose={close} />}
      {dialog?.kind === 'close-document' && <CloseDocumentDialog dialog={dialog} onClose={close} />}
      {dialog?.kind === 'question' && <QuestionDialog dialog={dialog} onClose={close} />}
      {dialog?.kind === 'help' && <HelpDialog onClose={close} />}
      {dialog?.kind === 'settings' && <SettingsDialog onClose={close} />}
    </ErrorBoundary>
  );
}

interface ShellDialogProps<Kind> {
  readonly dialog: Extract<ShellDialog, { kind: Kind }>;
  readonly onClose: () => void;
}

/** Asks what happens to unsaved changes. */
function CloseDocumentDialog({ dialog, onClose }: ShellDialogProps<'close-document'>) {
  const choose = (choice: CloseChoice) => (): void => {
    dialog.answer(choice);
    onClose();
  };
  return (
    <Dialog
      title={`Save ${visibleName(fileName(dialog.label))}?`}
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" onClick={choose('discard')}>
            Discard
          </Button>
          <Spacer />
          <Button onClick={choose('cancel')}>Cancel</Button>
          <Button kind="primary" isFirst onClick={choose('save')}>
            Save
          </Button>
        </>
      }
    >
      <p>
        <strong>{visibleName(dialog.label)}</strong> has changes that are not saved. They are lost if you
        discard them.
      </p>
    </Dialog>
  );
}

/** Asks what the host asks, in its words. */
export function QuestionDialog({ dialog, onClose }: ShellDialogProps<'question'>) {
  const { question, answer } = dialog;
  const choose = (choice?: Parameters<typeof answer>[0]) => (): void => {
    answer(choice);
    onClose();
  };
  // The page still shows what the question is about.
  const choices = question.choices.filter(({ kind }) => kind !== 'show');
  const lines = question.detail.split('\n').filter((line) => line !== '');
  return (
    <Dialog
      title={visibleName(question.message)}
      size="small"
      onClose={choose()}
      actions={
        <>
          <Button isFirst onClick={choose()}>
            {choices.length === 0 ? 'Close' : 'Cancel'}
          </Button>
          {choices.map((choice, index) => (
            <Button
              key={choice.label}
              kind={choice.isDangerous ? 'danger' : index === 0 ? 'primary' : 'plain'}
              onClick={choose(choice)}
            >
              {choice.label}
            </Button>
          ))}
        </>
      }
    >
      <div className={styles.sentences}>
        {lines.map((line) => (
          <p key={line}>{visibleName(line)}</p>
        ))}
      </div>
    </Dialog>
  );
}

interface KeyLine {
  readonly keys: readonly string[];
  readonly label: string;
}

const editorKeys: readonly KeyLine[] = [
  { keys: ['Mod+Z'], label: 'Undo, including dropped and kept changes' },
  { keys: ['Mod+Shift+Z'], label: 'Redo' },
  { keys: ['Mod+F'], label: 'Find and replace' },
  { keys: ['Mod+Alt+G'], label: 'Go to line' },
  { keys: ['Escape', 'Tab'], label: 'Leave the editor (press them one after the other)' },
];

const changesKeys: readonly KeyLine[] = [
  { keys: ['j', 'k'], label: 'In the changes: next or previous file' },
  { keys: ['F8', 'Shift+F8'], label: 'In the changes: undo or keep the change at the cursor' },
];

const treeKeys: readonly KeyLine[] = [
  { keys: ['ArrowUp', 'ArrowDown'], label: 'Move in the tree' },
  { keys: ['ArrowRight', 'ArrowLeft'], label: 'Open or close a folder' },
  { keys: ['Enter'], label: 'Open the file' },
  { keys: ['a–z'], label: 'Jump to a name by its first letters' },
  { keys: ['Delete'], label: 'Close the focused tab' },
];

const chatKeys: readonly KeyLine[] = [
  { keys: ['Enter'], label: 'Send' },
  { keys: ['Shift+Enter'], label: 'New line' },
  { keys: ['ArrowUp'], label: 'In the empty field: edit your last message' },
];

/** All keys, by what they are for. */
function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const all = shellKeys(useShell());
  const of = (group: string): readonly KeyLine[] => all.filter((binding) => binding.group === group);
  const review = reviewKeys.map(({ keys, label }) => ({ keys: [keys[0]], label }));
  return (
    <Dialog title="Keyboard shortcuts" size="large" onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <div className={joinClasses('scrolls', styles.groups)} tabIndex={0} data-first>
        <Group name="Reviews" lines={[...of('Reviews'), ...review, ...changesKeys]} />
        <div>
          <Group name="Go to" lines={of('Go to')} />
          <Group name="Chat" lines={[...of('Chat'), ...chatKeys]} />
          <Group name="Sharing" lines={of('Sharing')} />
          <Group name="Page" lines={of('Page')} />
        </div>
        <div>
          <Group name="Editor" lines={[...of('Files'), ...editorKeys]} />
          <Group name="Files and tabs" lines={treeKeys} />
        </div>
      </div>
    </Dialog>
  );
}

function Group({ name, lines }: { readonly name: string; readonly lines: readonly KeyLine[] }) {
  return (
    <section className={styles.group}>
      <h3 className="muted small">{name}</h3>
      <dl>
        {lines.map(({ keys, label }) => (
          <div key={label} className="line">
            <dt>{label}</dt>
            <dd className="line wraps">
              {keys.map((key) => (
                <KeyHint key={key} keys={key} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
