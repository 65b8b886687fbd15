import { Button, Choice, ConfirmDialog, Dialog, Select } from '@tandem/chat-panel/primitives';
import { messageOf, visibleName } from '@tandem/core';
import { useCallback, useEffect, useState } from 'react';
import { usePage } from '../client/pageContext.js';
import {
  type AppearancePreferences,
  appearancePreferences,
  notificationPreferences,
  textSizes,
} from '../client/preferences.js';
import type { PageResult } from '../wire/index.js';
import { allowNotifications, canNotify } from './desktopNotifications.js';
import styles from './frame.module.css';

const themes: readonly (readonly [AppearancePreferences['theme'], string])[] = [
  ['system', 'Same as the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** The settings of the page, which this browser keeps. */
export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const { theme, textSize } = appearancePreferences();
  return (
    <Dialog title="Settings" size="small" onClose={onClose}>
      <div className={styles.settings}>
        <fieldset>
          <legend>Theme</legend>
          {themes.map(([value, title]) => (
            <Choice
              key={value}
              type="radio"
              name="theme"
              checked={theme === value}
              onChange={() => appearancePreferences.setState({ theme: value })}
              title={title}
            />
          ))}
        </fieldset>
        <p className="line">
          <Select
            label="Text size"
            value={textSize}
            onChange={({ target }) => {
              const chosen = textSizes.find((size) => String(size) === target.value);
              if (chosen !== undefined) appearancePreferences.setState({ textSize: chosen });
            }}
          >
            {textSizes.map((size) => (
              <option key={size} value={size}>{`${size}%`}</option>
            ))}
          </Select>
        </p>
        <NotificationChoice />
        <HistoryDeletion />
      </div>
    </Dialog>
  );
}

/** Deletes what `tandem changes --forget` deletes. */
function HistoryDeletion() {
  const { host } = usePage();
  const [isAsking, setAsking] = useState(false);
  const [result, setResult] = useState('');
  const [recording, setRecording] = useState<PageResult<'recording.read'>>([]);
  const read = useCallback(async (): Promise<void> => {
    // The page says in another place that the host does not answer.
    setRecording(await host.request('recording.read', {}).catch(() => []));
  }, [host]);
  useEffect(() => void read(), [read]);
  const forget = async (): Promise<void> => {
    setAsking(false);
    try {
      await host.request('changes.forget', {});
      setResult('The history is deleted.');
      await read();
    } catch (error) {
      setResult(messageOf(error));
    }
  };
  return (
    <div>
      {recording.map(({ folder, note, copies }) => (
        <p key={folder} className="small">
          {recording.length > 1 && `${visibleName(folder)}: `}
          Tandem records {visibleName(note)}
          {copies !== undefined && ` (${visibleName(copies.note)})`}.
        </p>
      ))}
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete the history…
      </Button>
      <p className="small" role="status">
        {result}
      </p>
      {isAsking && (
        <ConfirmDialog
          title="Delete the history?"
          text="The history contains the texts of all decided reviews, and Tandem's copies of the files. Without it, changes of agents cannot be undone."
          confirm="Delete"
          onConfirm={() => void forget()}
          onCancel={() => setAsking(false)}
        />
      )}
    </div>
  );
}

function NotificationChoice() {
  const { isOn } = notificationPreferences();
  const [refusal, setRefusal] = useState<string>();
  const isAllowed = canNotify() && Notification.permission === 'granted';
  const toggle = async (): Promise<void> => {
    if (isOn && isAllowed) notificationPreferences.setState({ isOn: false });
    else setRefusal(await allowNotifications());
  };
  if (!canNotify()) return null;
  return (
    <div>
      <Choice
        type="checkbox"
        checked={isOn && isAllowed}
        onChange={() => void toggle()}
        title="Desktop notifications"
        meaning="Notify me of new proposals while this page is hidden. A notification names the agent and the file."
      />
      <p className="small" role="status">
        {refusal}
      </p>
    </div>
  );
}
