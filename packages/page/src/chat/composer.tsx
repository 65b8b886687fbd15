import { ArrowUp, ImagePlus, Square, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { IconButton } from '../primitives/button.js';
import { useChat, useModel, usePanel } from './chatContext.js';
import { type CompletionItem, queryAt } from './completion.js';
import { CompletionList } from './completionList.js';
import styles from './composer.module.css';
import { DraftImages } from './draftImages.js';
import { ModelPickers } from './modelPickers.js';
import { pictureObstacle } from './pictureObstacle.js';
import { pictureTypes, readPictures } from './readPictures.js';
import { sendDraft } from './sendDraft.js';
import { UsageLine } from './usageLine.js';
import { useCompletion } from './useCompletion.js';

/** Where the person writes. Enter sends, Shift+Enter makes a line; `@` and `/` are completed. */
export function Composer() {
  const { host, panel } = useChat();
  const draft = usePanel((values) => values.draft);
  const edited = usePanel((values) => values.edited);
  const images = usePanel((values) => values.images);
  const focusWish = usePanel((values) => values.focusWish);
  const turn = useModel((model) => model.turn.state);
  const noPictures = useModel(pictureObstacle);
  const suggestion = useModel((model) => model.suggestion);
  const isConnected = useModel((model) => model.connection.state === 'connected');
  const [caret, setCaret] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const wantedCaret = useRef<number | undefined>(undefined);
  const id = useId();
  const query = isClosed ? undefined : queryAt(draft, caret);
  const { items, selected, select } = useCompletion(query);
  const isCompleting = query !== undefined && items.length > 0;
  const isEmpty = draft.trim() === '' && images.length === 0;
  const blocked = images.length > 0 ? noPictures : undefined;
  const obstacle = isConnected ? (isEmpty ? 'Write something first' : blocked) : 'Not connected';

  const seenWish = useRef(0);
  useEffect(() => {
    if (focusWish === seenWish.current) return;
    seenWish.current = focusWish;
    // A webview would take it from the editor that the person went to meanwhile.
    if (!document.hasFocus()) return;
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, [focusWish]);
  // As high as its text, up to a part of the panel.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    // Before the next key, which would else go to the end of the text.
    if (wantedCaret.current !== undefined)
      current.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = undefined;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [draft]);
  useEffect(() => {
    if (!isCompleting) return undefined;
    const words = `${items.length} completions`;
    panel.say(words);
    return () => panel.hush(words);
  }, [isCompleting, items.length, panel]);

  const setDraft = (text: string, at: number): void => {
    setCaret(at);
    setClosed(false);
    panel.set({ draft: text });
  };
  const pick = (item: CompletionItem | undefined): void => {
    if (item === undefined || query === undefined) return;
    const text = draft.slice(0, query.from) + item.insert + draft.slice(query.to).replace(/^ /, '');
    const at = query.from + item.insert.length;
    const token = item.insert.trimEnd();
    if (item.mention !== undefined) {
      const others = panel.values.mentions.filter((mention) => mention.token !== token);
      panel.set({ mentions: [...others, { ...item.mention, token }] });
    }
    wantedCaret.current = at;
    setDraft(text, at);
  };
  const addPictures = async (files: readonly File[]): Promise<void> => {
    await panel.attempt('The picture was not added', async () => {
      if (noPictures !== undefined) throw new Error(noPictures);
      const added = await readPictures(files);
      panel.set({ images: [...panel.values.images, ...added] });
    });
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files].filter(({ type }) => pictureTypes.includes(type));
    if (files.length === 0) return;
    event.preventDefault();
    void addPictures(files);
  };
  const send = (): void => void sendDraft(host, panel);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (isCompleting && (key === 'ArrowDown' || key === 'ArrowUp')) {
      select((selected + (key === 'ArrowDown' ? 1 : -1) + items.length) % items.length);
    } else if (isCompleting && isPlain && (key === 'Enter' || key === 'Tab')) pick(items[selected]);
    else if (isCompleting && key === 'Escape') setClosed(true);
    else if (key === 'Enter' && isPlain) send();
    else if (key === 'Escape' && edited !== undefined) panel.clearDraft();
    else if (key === 'ArrowUp' && isPlain && draft === '') takeLast(host, panel);
    else return;
    event.preventDefault();
    // The page's own keys are not meant.
    event.stopPropagation();
  };
  const onSelect = (): void => setCaret(field.current?.selectionStart ?? 0);

  return (
    <div className={styles.composer}>
      {isCompleting && <CompletionList id={`${id}-list`} items={items} selected={selected} onPick={pick} />}
      {edited !== undefined && (
        <p className={styles.editing}>
          Editing an earlier message. The chat returns to it and drops what followed; changed files stay as
          they are.
          <IconButton icon={X} label="Stop editing" onClick={() => panel.clearDraft()} />
        </p>
      )}
      <div className={styles.box}>
        <DraftImages />
        <textarea
          ref={field}
          className={styles.field}
          rows={1}
          aria-label="Message to Qwen"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={isCompleting ? `${id}-list` : undefined}
          aria-activedescendant={isCompleting ? `${id}-list-${selected}` : undefined}
          aria-describedby={`${id}-help`}
          placeholder={suggestion ?? 'Ask a question or describe a change. @ adds a file, / a command.'}
          value={draft}
          spellCheck
          onChange={(event) => setDraft(event.target.value, event.target.selectionStart)}
          onKeyDown={onKeyDown}
          onSelect={onSelect}
          onBlur={() => setClosed(true)}
          onFocus={() => setClosed(false)}
          onPaste={onPaste}
        />
        <span id={`${id}-help`} className="visually-hidden">
          Enter sends, Shift+Enter inserts a line break.
        </span>
        <div className={styles.tools}>
          <ModelPickers />
          <span className={styles.gap} />
          <input
            ref={picker}
            type="file"
            hidden
            multiple
            accept={pictureTypes.join(',')}
            onChange={(event) => {
              void addPictures([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <IconButton
            icon={ImagePlus}
            label="Add a picture"
            obstacle={noPictures}
            onClick={() => (noPictures === undefined ? picker.current?.click() : void addPictures([]))}
          />
          {turn !== 'idle' && (
            <IconButton
              icon={Square}
              label={turn === 'stopping' ? 'Stopping' : 'Stop'}
              className={styles.stop}
              isDisabled={turn === 'stopping'}
              onClick={() => void panel.attempt('The turn was not stopped', () => host.cancel())}
            />
          )}
          {(turn === 'idle' || !isEmpty) && (
            <IconButton
              icon={ArrowUp}
              label={turn === 'idle' ? 'Send' : 'Send after this answer'}
              className={styles.send}
              obstacle={obstacle}
              onClick={send}
            />
          )}
        </div>
      </div>
      <UsageLine />
    </div>
  );
}

/** Takes the last message of the person back into the field. */
function takeLast(
  host: ReturnType<typeof useChat>['host'],
  panel: ReturnType<typeof useChat>['panel'],
): void {
  const last = host.state.model.items.findLast(({ kind }) => kind === 'user');
  if (last?.kind === 'user') panel.set({ draft: last.text, edited: last.id });
}
