import { useModel } from './chatContext.js';
import { tokens } from './chatWords.js';
import styles from './usageLine.module.css';

/** How full the model's context is, and what this session took of tokens. */
export function UsageLine() {
  const { inputTokens, outputTokens, contextUsed, contextSize } = useModel((model) => model.usage);
  const share =
    contextUsed !== undefined && contextSize !== undefined && contextSize > 0
      ? contextUsed / contextSize
      : undefined;
  const hasTokens = inputTokens + outputTokens > 0;
  if (share === undefined && !hasTokens) return null;
  return (
    <p className={styles.line}>
      {share !== undefined && (
        <span title={`${contextUsed} of ${contextSize} tokens of the model's context`}>
          Context {Math.round(share * 100)} %
        </span>
      )}
      {hasTokens && (
        <span title="Tokens of this session, as seen by this panel">
          {tokens(inputTokens)} in, {tokens(outputTokens)} out
        </span>
      )}
    </p>
  );
}
