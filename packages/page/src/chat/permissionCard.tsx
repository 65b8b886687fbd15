import {
  type ChatOption,
  type ChatPermission,
  type ChatRefusal,
  type PermissionField,
  permissionDetails,
} from '@tandem/chat/model';
import { visibleName, visibleText } from '@tandem/core';
import { ShieldQuestion, ShieldX } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Button, joinClasses } from '../primitives/index.js';
import styles from './cards.module.css';
import type { ChatAnswerChoice } from './chatHost.js';
import { permissionTitle, refusalWords, scopeWords } from './chatWords.js';
import { ToolContent } from './toolContent.js';

interface OptionsProps {
  readonly request: ChatPermission;
  /** The card replaces another one: a key or a click may have been meant for that one. */
  readonly replacesCard?: boolean;
  readonly onAnswer: (choice: ChatAnswerChoice) => void;
}

/** How long the options ignore input after the card replaced another one. */
export const protectedMs = 500;

/** Asks whether a tool may run, and shows what would be executed. Does not show the agent's title. */
export function PermissionCard({ more, ...props }: OptionsProps & { readonly more: number }) {
  const id = useId();
  const { request } = props;
  const { tool, fields } = permissionDetails(request);
  return (
    <section className={joinClasses('stack', styles.request)} aria-labelledby={id}>
      <header className={joinClasses('line', styles.head)}>
        <ShieldQuestion size={16} aria-hidden="true" />
        <h3 id={id} className="grow">
          {permissionTitle(request)}
        </h3>
        {more > 0 && <span className="small">{more} more</span>}
      </header>
      <div className={joinClasses('stack scrolls', styles.content)}>
        <p className="muted small">
          {tool === undefined ? (
            'The daemon does not name the tool.'
          ) : (
            <>
              Tool: {visibleName(tool)}
              {request.input === undefined && '.'}
            </>
          )}
          {request.input === undefined && ' The daemon does not show its arguments.'}
        </p>
        {fields.map((field, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields of one request do not change.
          <Argument key={index} field={field} />
        ))}
        <ToolContent content={request.content} toolCallId={request.toolCallId} lines={24} />
      </div>
      <PermissionOptions {...props} />
    </section>
  );
}

/** A complete argument: nothing is cut or hidden, and all of it is text. */
function Argument({ field: { name, text, kind } }: { readonly field: PermissionField }) {
  const id = useId();
  const size = sizeOf(text);
  return (
    <fieldset className={joinClasses('stack', styles.field)} data-kind={kind} aria-labelledby={id}>
      <p id={id} className="muted small">
        {name === '' ? 'Arguments' : visibleName(name)}
        {kind === 'words' && ' (in the agent’s words)'}
        {size !== undefined && ` (${size})`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <pre className={styles.command} tabIndex={0}>
        {kind === 'command' && <span className={styles.prompt}>$ </span>}
        {visibleText(text)}
      </pre>
    </fieldset>
  );
}

/** The size of a text that may not be visible at a glance. */
function sizeOf(text: string): string | undefined {
  const lines = text.split('\n').length;
  if (lines > 6) return `${lines.toLocaleString('en')} lines`;
  return text.length > 400 ? `${text.length.toLocaleString('en')} characters` : undefined;
}

/** The request's options: first those that apply once, then those that apply longer. */
export function PermissionOptions({ request, replacesCard = false, onAnswer }: OptionsProps) {
  const id = useId();
  const [isProtected, setProtected] = useState(replacesCard);
  useEffect(() => {
    if (!isProtected) return;
    const timer = setTimeout(() => setProtected(false), protectedMs);
    return () => clearTimeout(timer);
  }, [isProtected]);
  const { options, isAnswering } = request;
  const once = options.filter((option) => option.isAllow && option.scope === 'once');
  const rejecting = options.filter(({ isAllow }) => !isAllow);
  const lasting = options.filter((option) => option.isAllow && option.scope !== 'once');
  const button = (option: ChatOption, describedBy?: string) => (
    <Button
      key={option.optionId}
      kind={once.includes(option) ? 'primary' : 'plain'}
      className={styles.choice}
      isFirst={option === (once[0] ?? options[0])}
      isDisabled={isAnswering || isProtected}
      describedBy={describedBy}
      onClick={() => onAnswer({ optionId: option.optionId })}
    >
      {visibleName(option.name)}
    </Button>
  );
  return (
    <div className={joinClasses('stack', styles.options)}>
      <div className="line wraps">{[...once, ...rejecting].map((option) => button(option))}</div>
      {lasting.map((option, index) => (
        <div key={option.optionId} className="line wraps">
          {button(option, `${id}-${index}`)}
          <span id={`${id}-${index}`} className="muted small">
            {scopeWords(option)}
          </span>
        </div>
      ))}
    </div>
  );
}

interface RefusalCardProps {
  readonly request: ChatRefusal;
  readonly onAnswer: (choice: ChatAnswerChoice) => void;
}

/** Shows a refused request. The host rejects it automatically; the button is for a rejection that was not delivered. */
export function RefusalCard({ request, onAnswer }: RefusalCardProps) {
  return (
    <section className={joinClasses('stack', styles.request)} aria-label="Refused">
      <header className={joinClasses('line', styles.head)}>
        <ShieldX size={16} aria-hidden="true" />
        <p className="grow">{refusalWords(request.reason)}</p>
      </header>
      <div className={joinClasses('stack', styles.options)}>
        <div className="line wraps">
          <Button isFirst isDisabled={request.isAnswering} onClick={() => onAnswer({})}>
            Send the rejection again
          </Button>
        </div>
      </div>
    </section>
  );
}
