import type { PermissionDetails, PermissionField } from '@tandem/chat/model';
import { visibleName, visibleText } from '@tandem/core';
import { useId } from 'react';
import styles from './requestCards.module.css';

interface PermissionFieldsProps {
  readonly details: PermissionDetails;
  readonly hasInput: boolean;
}

/** The tool and its arguments, whole: nothing in them is cut, hidden or taken for anything but text. */
export function PermissionFields({ details: { tool, fields }, hasInput }: PermissionFieldsProps) {
  return (
    <>
      <p className={styles.tool}>
        {tool === undefined ? 'The daemon does not name the tool.' : <>Tool: {visibleName(tool)}</>}
        {!hasInput && ' The daemon does not show its arguments.'}
      </p>
      {fields.map((field, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields of one request do not change.
        <Field key={index} field={field} />
      ))}
    </>
  );
}

function Field({ field: { name, text, kind } }: { readonly field: PermissionField }) {
  const id = useId();
  const shown = visibleText(text);
  const size = sizeOf(text);
  return (
    <fieldset className={styles.field} data-kind={kind} aria-labelledby={id}>
      <p id={id} className={styles.fieldName}>
        {name === '' ? 'Arguments' : visibleName(name)}
        {kind === 'words' && ' (in the agent’s words)'}
        {size !== undefined && ` (${size})`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre className={styles.command} tabIndex={0}>
        {kind === 'command' && <span className={styles.prompt}>$ </span>}
        {shown}
      </pre>
    </fieldset>
  );
}

/** How much there is to read, where it may not be seen at a glance. */
function sizeOf(text: string): string | undefined {
  const lines = text.split('\n').length;
  if (lines > 6) return `${lines.toLocaleString('en')} lines`;
  return text.length > 400 ? `${text.length.toLocaleString('en')} characters` : undefined;
}
