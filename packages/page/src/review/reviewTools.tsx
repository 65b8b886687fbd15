import { Button, IconButton, joinClasses, Spacer, Toolbar } from '@tandem/chat-panel/primitives';
import {
  ArrowDown,
  ArrowUp,
  BookOpen,
  Columns2,
  FoldVertical,
  MessageSquarePlus,
  Pilcrow,
  RotateCcw,
  Rows2,
  Search,
  Space,
  WrapText,
} from 'lucide-react';
import { codePreferences, togglePreference } from '../client/preferences.js';
import styles from './review.module.css';
import type { CurrentChange, ReviewLayout } from './reviewEditor.js';

interface ReviewToolsProps {
  readonly now: CurrentChange;
  readonly layout: ReviewLayout | undefined;
  readonly canSplit: boolean;
  readonly isEdited: boolean;
  readonly isReadOnly: boolean;
  readonly onLayout: (layout: 'split' | 'unified') => void;
  readonly onGo: (direction: 1 | -1) => void;
  readonly onToggle: () => void;
  readonly onOwnEdit: () => void;
  readonly onComment: () => void;
  /** Whether Markdown is rendered instead of compared; absent for other files. */
  readonly isRendered?: boolean;
  readonly onRender?: () => void;
  readonly onFind: () => void;
  readonly onReset: () => void;
}

/** Moves between changes, drops or keeps the one at the cursor, and sets how the text is shown. */
export function ReviewTools(props: ReviewToolsProps) {
  const { now, layout, canSplit, isEdited, isReadOnly } = props;
  const { wraps, showsWhitespace, collapsesUnchanged, hidesSpaceChanges } = codePreferences();
  return (
    <Toolbar label="Review tools" className={joinClasses('wraps', styles.tools)}>
      {layout !== 'single' && (
        <>
          <IconButton icon={ArrowUp} label="Previous change" keys="Shift+F7" onClick={() => props.onGo(-1)} />
          <IconButton icon={ArrowDown} label="Next change" keys="F7" onClick={() => props.onGo(1)} />
          <span className={joinClasses('muted numbers', styles.position)}>
            <Position {...now} />
          </span>
          {!isReadOnly && (
            <Button
              className={styles.toggle}
              keys="F8"
              isDisabled={now.range === undefined}
              onClick={props.onToggle}
            >
              {toggleText(now)}
            </Button>
          )}
        </>
      )}
      {now.ownEdits > 0 && (
        <Button kind="quiet" keys="Shift+F8" tip="Your next edit" onClick={props.onOwnEdit}>
          <span className={styles.own} aria-hidden="true" />
          {`Your edits: ${now.ownEdits}`}
        </Button>
      )}
      <Spacer />
      {isEdited && !isReadOnly && (
        <IconButton icon={RotateCcw} label="Reset to the proposal" onClick={props.onReset} />
      )}
      {!isReadOnly && (
        <IconButton
          icon={MessageSquarePlus}
          label="Comment on the whole proposal"
          onClick={props.onComment}
        />
      )}
      {props.onRender !== undefined && (
        <IconButton
          icon={BookOpen}
          label="Rendered Markdown"
          isPressed={props.isRendered}
          onClick={props.onRender}
        />
      )}
      <IconButton icon={Search} label="Find" keys="Mod+F" onClick={props.onFind} />
      <IconButton
        icon={WrapText}
        label="Wrap long lines"
        isPressed={wraps}
        onClick={() => togglePreference('wraps')}
      />
      <IconButton
        icon={Pilcrow}
        label="Show whitespace"
        isPressed={showsWhitespace}
        onClick={() => togglePreference('showsWhitespace')}
      />
      {layout !== 'single' && (
        <IconButton
          icon={Space}
          label="Hide whitespace changes"
          isPressed={hidesSpaceChanges}
          onClick={() => togglePreference('hidesSpaceChanges')}
        />
      )}
      {layout !== 'single' && (
        <IconButton
          icon={FoldVertical}
          label="Hide unchanged lines"
          isPressed={collapsesUnchanged}
          onClick={() => togglePreference('collapsesUnchanged')}
        />
      )}
      {canSplit && (
        <fieldset className={joinClasses('line', styles.layouts)}>
          <legend className="visually-hidden">Layout</legend>
          <IconButton
            icon={Columns2}
            label="Side by side"
            isPressed={layout === 'split'}
            onClick={() => props.onLayout('split')}
          />
          <IconButton
            icon={Rows2}
            label="Unified"
            isPressed={layout === 'unified'}
            onClick={() => props.onLayout('unified')}
          />
        </fieldset>
      )}
    </Toolbar>
  );
}

function Position({ index, total }: CurrentChange) {
  if (index < 0) return total === 0 ? 'No changes' : `${total} ${total === 1 ? 'change' : 'changes'}`;
  return (
    <>
      <span className={styles.word}>Change </span>
      {`${index + 1} of ${total}`}
    </>
  );
}

function toggleText({ range }: CurrentChange): string {
  if (range === undefined || range.hunk !== undefined)
    return range?.isDropped ? 'Keep change' : 'Drop change';
  return 'Undo edit';
}
