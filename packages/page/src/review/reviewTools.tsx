import {
  ArrowDown,
  ArrowUp,
  Columns2,
  FoldVertical,
  Pilcrow,
  RotateCcw,
  Rows2,
  Search,
  WrapText,
} from 'lucide-react';
import { codePreferences, togglePreference } from '../code/codePreferences.js';
import { joinClasses } from '../primitives/joinClasses.js';
import buttons from './buttons.module.css';
import type { PlaceNow, ReviewLayout } from './reviewEditor.js';
import { shownKeys } from './reviewKeys.js';
import styles from './reviewTools.module.css';
import { ToolButton } from './toolButton.js';

interface ReviewToolsProps {
  readonly now: PlaceNow;
  readonly layout: ReviewLayout | undefined;
  readonly canSplit: boolean;
  readonly isEdited: boolean;
  readonly isReadOnly: boolean;
  readonly onLayout: (layout: 'split' | 'unified') => void;
  readonly onGo: (direction: 1 | -1) => void;
  readonly onToggle: () => void;
  readonly onFind: () => void;
  readonly onReset: () => void;
}

/** Going from change to change, what to do with the one at the caret, and how the text is shown. */
export function ReviewTools(props: ReviewToolsProps) {
  const { now, layout, canSplit, isEdited, isReadOnly } = props;
  const { wraps, showsWhitespace, collapsesUnchanged } = codePreferences();
  return (
    <div className={styles.tools} role="toolbar" aria-label="Review tools">
      {layout !== 'single' && (
        <div className={styles.group}>
          <ToolButton icon={ArrowUp} label="Previous change" keys="Shift+F7" onClick={() => props.onGo(-1)} />
          <ToolButton icon={ArrowDown} label="Next change" keys="F7" onClick={() => props.onGo(1)} />
          <span className={styles.count}>{countWords(now)}</span>
          {!isReadOnly && (
            <button
              type="button"
              className={joinClasses(buttons.button, styles.toggle)}
              aria-disabled={now.place === undefined}
              onClick={props.onToggle}
              title="F8"
              aria-keyshortcuts="F8"
            >
              {toggleWords(now)}
            </button>
          )}
        </div>
      )}
      <div className={joinClasses(styles.group, styles.end)}>
        {isEdited && !isReadOnly && (
          <ToolButton icon={RotateCcw} label="Reset to the proposal" onClick={props.onReset} />
        )}
        <ToolButton icon={Search} label="Find" keys={shownKeys('Mod+F')} onClick={props.onFind} />
        <ToolButton
          icon={WrapText}
          label="Wrap long lines"
          isPressed={wraps}
          onClick={() => togglePreference('wraps')}
        />
        <ToolButton
          icon={Pilcrow}
          label="Show whitespace"
          isPressed={showsWhitespace}
          onClick={() => togglePreference('showsWhitespace')}
        />
        {layout !== 'single' && (
          <ToolButton
            icon={FoldVertical}
            label="Hide unchanged lines"
            isPressed={collapsesUnchanged}
            onClick={() => togglePreference('collapsesUnchanged')}
          />
        )}
        {canSplit && (
          <fieldset className={styles.layouts}>
            <legend className={styles.legend}>Layout</legend>
            <ToolButton
              icon={Columns2}
              label="Side by side"
              isPressed={layout === 'split'}
              onClick={() => props.onLayout('split')}
            />
            <ToolButton
              icon={Rows2}
              label="Unified"
              isPressed={layout === 'unified'}
              onClick={() => props.onLayout('unified')}
            />
          </fieldset>
        )}
      </div>
    </div>
  );
}

function countWords({ index, total }: PlaceNow): string {
  if (total === 0) return 'No changes';
  return index < 0 ? `${total} ${total === 1 ? 'change' : 'changes'}` : `Change ${index + 1} of ${total}`;
}

function toggleWords({ place }: PlaceNow): string {
  if (place === undefined || place.hunk !== undefined)
    return place?.isDropped ? 'Keep change' : 'Drop change';
  return 'Undo edit';
}
