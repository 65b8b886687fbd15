import type { ChatChoices } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { useChat, useModel } from './chatContext.js';
import styles from './composer.module.css';

/** Which model answers, and what it may do unasked. */
export function ModelPickers() {
  const { host, panel } = useChat();
  const models = useModel((model) => model.models);
  const modes = useModel((model) => model.modes);
  return (
    <>
      <Picker
        label="Approval mode"
        tip="What Qwen may do without asking"
        choices={modes}
        onChoose={(id) => void panel.attempt('The approval mode was not changed', () => host.setMode(id))}
      />
      <Picker
        label="Model"
        tip="The model. It becomes the default in your Qwen settings."
        choices={models}
        onChoose={(id) => void panel.attempt('The model was not changed', () => host.setModel(id))}
      />
    </>
  );
}

interface PickerProps {
  readonly label: string;
  readonly tip: string;
  readonly choices: ChatChoices;
  readonly onChoose: (id: string) => void;
}

function Picker({ label, tip, choices, onChoose }: PickerProps) {
  const { current, available } = choices;
  if (available.length === 0) return null;
  const isListed = available.some(({ id }) => id === current);
  return (
    <select
      className={styles.picker}
      aria-label={label}
      title={tip}
      value={current ?? ''}
      onChange={(event) => onChoose(event.target.value)}
    >
      {!isListed && (
        <option value={current ?? ''}>{current === undefined ? label : visibleName(current)}</option>
      )}
      {available.map(({ id, name }) => (
        <option key={id} value={id}>
          {visibleName(name)}
        </option>
      ))}
    </select>
  );
}
