import { Dialog } from '../primitives/dialog.js';
import { joinClasses } from '../primitives/joinClasses.js';
import { KeyHint } from '../primitives/layout.js';
import { reviewKeys } from '../review/reviewKeys.js';
import styles from './frame.module.css';
import { useShell } from './shellContext.js';
import { shellKeys } from './shellKeys.js';

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
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const all = shellKeys(useShell());
  const of = (group: string): readonly KeyLine[] => all.filter((binding) => binding.group === group);
  const review = reviewKeys.map(({ keys, label }) => ({ keys: [keys[0]], label }));
  return (
    <Dialog title="Keys" size="large" onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <div className={joinClasses('scrolls', styles.groups)} tabIndex={0} data-first>
        <Group name="Reviews" lines={[...of('Reviews'), ...review]} />
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
