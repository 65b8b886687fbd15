import { type ChatQuestion, type ChatQuestions, questionOptions } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { CircleHelp } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { joinClasses } from '../primitives/joinClasses.js';
import type { ChatAnswerChoice } from './chatHost.js';
import { answersOf, choose, noAnswer, type QuestionDraft } from './questionAnswers.js';
import styles from './requestCards.module.css';

interface QuestionsCardProps {
  readonly request: ChatQuestions;
  readonly more: number;
  readonly onAnswer: (choice: ChatAnswerChoice) => void;
}

/** Asks one or several questions. Each can be answered in the person's own words. */
export function QuestionsCard({ request, more, onAnswer }: QuestionsCardProps) {
  const id = useId();
  const [drafts, setDrafts] = useState<Readonly<Record<string, QuestionDraft>>>({});
  const { answer, skip } = questionOptions(request);
  const answers = answersOf(request.questions, drafts);
  const missing = answers === undefined ? 'Answer every question first.' : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (answers !== undefined) onAnswer({ answers, ...(answer !== undefined && { optionId: answer }) });
  };
  const leave = (): void => {
    onAnswer(skip === undefined ? {} : { optionId: skip });
  };
  return (
    <form className={styles.card} aria-labelledby={`${id}-title`} onSubmit={submit}>
      <header className={styles.head}>
        <CircleHelp size={16} className={styles.icon} aria-hidden="true" />
        <h3 id={`${id}-title`} className={styles.title}>
          {request.questions.length === 1
            ? 'Qwen has a question'
            : `Qwen has ${request.questions.length} questions`}
        </h3>
        {more > 0 && <span className={styles.more}>{more} more</span>}
      </header>
      <div className={styles.content}>
        {request.questions.map((question, index) => (
          <Question
            key={question.key}
            question={question}
            isFirst={index === 0}
            draft={drafts[question.key] ?? noAnswer}
            onChange={(draft) => setDrafts((all) => ({ ...all, [question.key]: draft }))}
          />
        ))}
      </div>
      <div className={joinClasses(styles.options, styles.row)}>
        <button
          type="submit"
          className={joinClasses(styles.choice, styles.primary)}
          disabled={request.isAnswering}
          aria-disabled={missing !== undefined}
          title={missing}
        >
          Answer
        </button>
        <button type="button" className={styles.choice} disabled={request.isAnswering} onClick={leave}>
          Skip
        </button>
        {missing !== undefined && <span className={styles.scope}>{missing}</span>}
      </div>
    </form>
  );
}

interface QuestionProps {
  readonly question: ChatQuestion;
  readonly isFirst: boolean;
  readonly draft: QuestionDraft;
  readonly onChange: (draft: QuestionDraft) => void;
}

function Question({ question, isFirst, draft, onChange }: QuestionProps) {
  const id = useId();
  const { options, isMultiSelect } = question;
  const type = isMultiSelect ? 'checkbox' : 'radio';
  const setOther = (other: string): void =>
    onChange({ ...draft, other, isOther: true, chosen: isMultiSelect ? draft.chosen : [] });
  return (
    <fieldset className={styles.question}>
      <legend>
        {question.header !== '' && <span className={styles.header}>{visibleName(question.header)}</span>}
        {visibleName(question.question)}
        {isMultiSelect && <span className={styles.hint}> Choose any number.</span>}
      </legend>
      {options.map(({ label, description }, index) => (
        <label key={label} className={styles.answer}>
          <input
            type={type}
            name={id}
            data-first={isFirst && index === 0}
            checked={draft.chosen.includes(label)}
            onChange={() => onChange(choose(draft, question, label))}
          />
          <span>
            {visibleName(label)}
            {description !== undefined && description !== '' && (
              <span className={styles.meaning}>{visibleName(description)}</span>
            )}
          </span>
        </label>
      ))}
      {options.length > 0 && (
        <label className={styles.answer}>
          <input
            type={type}
            name={id}
            checked={draft.isOther}
            onChange={() =>
              onChange({
                ...draft,
                isOther: isMultiSelect ? !draft.isOther : true,
                chosen: isMultiSelect ? draft.chosen : [],
              })
            }
          />
          Something else…
        </label>
      )}
      <input
        type="text"
        className={styles.other}
        data-first={isFirst && options.length === 0}
        data-below={options.length > 0}
        aria-label={`Your own answer: ${question.question}`}
        placeholder={options.length > 0 ? 'Your own words' : 'Your answer'}
        value={draft.other}
        onChange={(event) => setOther(event.target.value)}
      />
    </fieldset>
  );
}
