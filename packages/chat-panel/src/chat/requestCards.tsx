import {
  type ChatOption,
  type ChatPermission,
  type ChatRefusal,
  type ChatRequest,
  type PermissionField,
  permissionDetails,
} from '@tandem/chat/model';
import { visibleName, visibleText } from '@tandem/core';
import { ShieldQuestion, ShieldX } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Banner, Button, joinClasses } from '../primitives/index.js';
import styles from './cards.module.css';
import type { ChatAnswerChoice, ChatHost } from './chatHost.js';
import { permissionTitle, refusalWords, requestTitle, scopeWords } from './chatWords.js';
import type { PanelState } from './panelState.js';
import { useChat, useModel, usePanel } from './panelState.js';
import { QuestionsCard } from './questionsCard.js';
import { RequestBody } from './requestBody.js';
import { ToolContent } from './toolCard.js';

/**
 * The oldest pending request. It never takes the focus. If the focus was in a card that disappears, it moves to the next
 * card, or `onDone` moves it.
 */
export function RequestCards({ onDone }: { readonly onDone: () => void }) {
  const { host, panel } = useChat();
  const pending = useModel((model) => model.pending);
  const elsewhere = usePanel((values) => values.elsewhere);
  const [first] = pending;
  const area = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  const firstId = first?.requestId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another request replaces the focused one.
  useEffect(() => {
    if (!hadFocus.current || area.current?.contains(document.activeElement)) return;
    hadFocus.current = false;
    // The user may have moved the focus meanwhile.
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const next = area.current?.querySelector<HTMLElement>('[data-first="true"]');
    if (next) next.focus();
    else onDone();
  }, [firstId]);
  if (first === undefined && elsewhere.length === 0) return null;
  const answer = (choice: ChatAnswerChoice): void => {
    if (first !== undefined) void answerRequest(host, panel, first, choice);
  };
  const shared = { more: pending.length - 1, onAnswer: answer };
  return (
    <section
      ref={area}
      className={joinClasses('stack', styles.area)}
      aria-label="Waiting for your answer"
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={(event) => {
        // Without a related target, the focused card was removed.
        if (event.relatedTarget !== null) hadFocus.current = false;
      }}
    >
      {elsewhere.map(({ requestId, title }) => (
        <Banner key={requestId} kind="good" shape="inset" onDismiss={() => panel.dismissElsewhere(requestId)}>
          <strong>Answered elsewhere</strong> {visibleName(title)}
        </Banner>
      ))}
      {first?.kind === 'permission' && <PermissionCard {...shared} key={firstId} request={first} />}
      {first?.kind === 'refused' && <RefusalCard {...shared} key={firstId} request={first} />}
      {first?.kind === 'questions' && <QuestionsCard {...shared} key={firstId} request={first} />}
    </section>
  );
}

/** Answers a request. Shows if another client was first or the answer was not sent. Never rejects. */
export async function answerRequest(
  host: ChatHost,
  panel: PanelState,
  request: ChatRequest,
  choice: ChatAnswerChoice,
): Promise<void> {
  const { requestId } = request;
  panel.markAnswered(requestId);
  await panel.attempt('The answer was not sent', async () => {
    const { isElsewhere } = await host.call('chat.answer', { requestId, ...choice });
    if (isElsewhere) panel.showElsewhere({ requestId, title: requestTitle(request) });
  });
}

interface OptionsProps {
  readonly request: ChatPermission;
  readonly onAnswer: (choice: ChatAnswerChoice) => void;
}

/** How long the options ignore input after they appeared: a key or a click may have been meant for what was there before. */
export const protectedMs = 500;

/** Asks whether a tool may run, and shows what would be executed. Does not show the agent's title. */
function PermissionCard({ more, ...props }: OptionsProps & { readonly more: number }) {
  const id = useId();
  const { request } = props;
  const { tool, fields } = permissionDetails(request);
  return (
    <section className={joinClasses('stack', styles.request)} aria-labelledby={id}>
      <RequestBody icon={ShieldQuestion} titleId={id} title={permissionTitle(request)} more={more}>
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
        {lastingOptions(request).map((option) => (
          <p key={option.optionId} className={joinClasses('muted small', styles.scope)}>
            {visibleName(option.name)}: {scopeWords(option)}
          </p>
        ))}
      </RequestBody>
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

/** The options that allow more than this once. */
function lastingOptions({ options }: ChatPermission): readonly ChatOption[] {
  return options.filter(({ isAllow, scope }) => isAllow && scope !== 'once');
}

/** The request's options: first those that apply once, then those that apply longer. */
export function PermissionOptions({ request, onAnswer }: OptionsProps) {
  const id = useId();
  const [isProtected, setProtected] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setProtected(false), protectedMs);
    return () => clearTimeout(timer);
  }, []);
  const { options, isAnswering } = request;
  const once = options.filter((option) => option.isAllow && option.scope === 'once');
  const rejecting = options.filter(({ isAllow }) => !isAllow);
  const lasting = lastingOptions(request);
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
    <div className={joinClasses('stack', styles.options)} data-answers>
      <div className="line wraps">{[...once, ...rejecting].map((option) => button(option))}</div>
      {lasting.map((option, index) => (
        <div key={option.optionId} className={joinClasses('line wraps', styles.lasting)}>
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
function RefusalCard({ request, onAnswer }: RefusalCardProps) {
  return (
    <section className={joinClasses('stack', styles.request)} aria-label="Refused">
      <header className={joinClasses('line', styles.head)}>
        <ShieldX size={16} aria-hidden="true" />
        <p className="grow">{refusalWords(request.reason)}</p>
      </header>
      <div className={joinClasses('stack', styles.options)} data-answers>
        <div className="line wraps">
          <Button isFirst isDisabled={request.isAnswering} onClick={() => onAnswer({})}>
            Send the rejection again
          </Button>
        </div>
      </div>
    </section>
  );
}
