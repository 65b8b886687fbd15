import { TriangleAlert } from 'lucide-react';
import { joinClasses } from '../app/joinClasses.js';
import buttons from './buttons.module.css';
import styles from './reviewNoticeBar.module.css';

interface FileChangedBarProps {
  readonly isReadOnly: boolean;
  readonly onTakeIn: () => void;
}

/** The file on disk is another one than the agent and the person compared with. */
export function FileChangedBar({ isReadOnly, onTakeIn }: FileChangedBarProps) {
  return (
    <div className={joinClasses(styles.note, styles.warning)} role="status">
      <TriangleAlert size={15} aria-hidden="true" />
      <span>
        <strong>The file changed on disk after the proposal.</strong> Accepting undoes that.
      </span>
      <button
        type="button"
        className={buttons.button}
        aria-disabled={isReadOnly}
        onClick={() => {
          if (!isReadOnly) onTakeIn();
        }}
      >
        Merge its changes
      </button>
    </div>
  );
}
